import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// What figures are, and the user's own normal range.
  mutating func addExplanations(_ stores: StoreCache) {
    reads["/api/explanations"] = { _ in try .json(ExplanationsResponse()) }
    reads["/api/variability/normal"] = { question in
      try .json(
        try await NormalRangesResponse.of(
          stores.store(for: question).healthStore, in: question.zone(), now: Date()))
    }
  }
}

/// The definitions that `hrgate hrv`, `zones` and `recovery` print with `--explain`, by figure.
struct ExplanationsResponse: Codable, Sendable {
  var variability = FigureDefinitions.byName(HRVDefinitions.lines)
  var zones = FigureDefinitions.byName(ZonesDefinitions.lines)
  var recovery = FigureDefinitions.byName(RecoveryDefinitions.lines)
}
