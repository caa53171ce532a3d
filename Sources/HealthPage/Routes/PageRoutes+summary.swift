import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route that compares the last week with the 60 days before.
  mutating func addSummary(_ stores: StoreCache) {
    reads["/api/summary"] = { request in
      try .json(
        try await SummaryResponse.of(
          stores.store(for: request), request.summedUp(), in: request.zone(), now: Date()))
    }
  }
}

extension PageRequest {
  /// Maximum number of types in a request.
  private static let mostTypes = 100

  /// Returns the types in the request's parameters, or the default ones.
  fileprivate func summedUp() throws(PageError) -> [HKQuantityType] {
    guard let text = parameters["types"] else { return SummaryResponse.usual }
    let names = text.split(separator: ",").map(String.init)
    guard names.count <= Self.mostTypes else { throw .argument("The summary has at most 100 types.") }
    var types: [HKQuantityType] = []
    for name in names { types.append(try Self.quantityType(named: name)) }
    return types
  }
}
