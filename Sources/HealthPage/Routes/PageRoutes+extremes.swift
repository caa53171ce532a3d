import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route for the lowest and the highest value in a time range, each with the time at which it was
  /// measured.
  mutating func addExtremes(_ stores: StoreCache) {
    reads["/api/extremes"] = { request in
      let (type, span) = (try request.quantityType(), try request.span())
      guard span.duration <= ExtremesResponse.longest else {
        throw PageError.argument("Choose a range of at most a year.")
      }
      guard type.aggregationStyle != .cumulative else {
        throw PageError.argument(
          "A type whose values are added up, such as steps, has no lowest and highest value.")
      }
      let store = try stores.store(for: request).healthStore
      let found = try await store.extremes(of: type, in: request.choice())
      let unit = try await store.shownUnit(of: type).unitString
      return try .json(ExtremesResponse(unit: unit, lowest: found?.lowest, highest: found?.highest))
    }
  }
}

struct ExtremesResponse: Codable, Sendable {
  /// Maximum length of the range in seconds: a leap year.
  static let longest = 366 * 86_400.0

  var unit: String
  /// The values; absent if there are no measurements.
  var lowest: TimedValue?
  var highest: TimedValue?
}
