import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// When straps were worn, and what the last week was like.
  mutating func addSummary(_ shelf: StoreShelf) {
    reads["/api/worn"] = { question in
      try .json(try await WornAnswer.of(shelf.store(for: question).healthStore, question.selection()))
    }
    reads["/api/summary"] = { question in
      let name = question.parameters["zone"] ?? "UTC"
      guard let zone = TimeZone(identifier: name) else {
        throw PageFault.argument("There is no time zone \(name).")
      }
      return try .json(try await SummaryAnswer.of(shelf.store(for: question), in: zone, now: Date()))
    }
  }
}
