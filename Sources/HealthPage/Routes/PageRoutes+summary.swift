import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// What the last week was like.
  mutating func addSummary(_ shelf: StoreShelf) {
    reads["/api/summary"] = { question in
      try .json(try await SummaryAnswer.of(shelf.store(for: question), in: question.zone(), now: Date()))
    }
  }
}
