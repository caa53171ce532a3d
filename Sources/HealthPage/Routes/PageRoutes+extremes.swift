import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// The lowest and the highest value of a time, each with its own time.
  mutating func addExtremes(_ stores: StoreCache) {
    reads["/api/extremes"] = { question in
      let (type, span) = (try question.quantityType(), try question.span())
      guard span.duration <= ExtremesResponse.longest else {
        throw PageError.argument("Choose a range of at most a year.")
      }
      guard type.aggregationStyle != .cumulative else {
        throw PageError.argument("A sum has no lowest and highest value.")
      }
      let store = try stores.store(for: question).healthStore
      let found = try await store.extremes(of: type, in: question.choice())
      let unit = try await store.shownUnit(of: type).unitString
      return try .json(ExtremesResponse(unit: unit, lowest: found?.lowest, highest: found?.highest))
    }
  }
}

struct ExtremesResponse: Codable, Sendable {
  /// Seconds. A leap year.
  static let longest = 366 * 86_400.0

  var unit: String
  /// Absent if nothing was measured.
  var lowest: TimedValue?
  var highest: TimedValue?
}
