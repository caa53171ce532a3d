import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// What the last week was like.
  mutating func addSummary(_ shelf: StoreShelf) {
    reads["/api/summary"] = { question in
      try .json(
        try await SummaryAnswer.of(
          shelf.store(for: question), question.summedUp(), in: question.zone(), now: Date()))
    }
  }
}

extension Question {
  /// More are not pinned.
  private static let mostTypes = 100

  /// The types that are named, with commas between them; else those that people look at first.
  fileprivate func summedUp() throws(PageFault) -> [HKQuantityType] {
    guard let text = parameters["types"] else { return SummaryAnswer.usual }
    let names = text.split(separator: ",").map(String.init)
    guard names.count <= Self.mostTypes else { throw .argument("At most 100 types are summed up at once.") }
    var types: [HKQuantityType] = []
    for name in names { types.append(try Self.quantityType(named: name)) }
    return types
  }
}
