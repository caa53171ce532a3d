import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for the definitions of computed values, and for the user's normal range.
  mutating func addExplanations(_ stores: StoreCache) {
    reads["/api/explanations"] = { _ in try .json(ExplanationsResponse()) }
    reads["/api/variability/normal"] = { request in
      try .json(
        try await NormalRangesResponse.of(
          stores.store(for: request).healthStore, in: request.zone(), now: Date()))
    }
  }
}

/// The definitions that `hrgate hrv`, `zones` and `recovery` print with `--explain`, by the JSON name of the
/// value.
struct ExplanationsResponse: Codable, Sendable {
  var variability = FigureDefinitions.byName(HRVDefinitions.lines)
  var zones = FigureDefinitions.byName(ZonesDefinitions.lines)
  var recovery = FigureDefinitions.byName(RecoveryDefinitions.lines)
}
