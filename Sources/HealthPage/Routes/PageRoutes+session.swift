import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds a single session with everything computed from it.
  mutating func addSession(_ stores: StoreCache) {
    reads["/api/worn/session"] = { question in
      guard let moment = try question.date("start") else {
        throw PageError.argument("Say when the session was.")
      }
      let request = WornSession.Request(
        source: try question.text("source"), moment: moment,
        maximum: try question.number("maximum", in: 1...1000), ended: try question.date("end"))
      return try .json(try await WornSession.of(stores.store(for: question), request))
    }
  }
}
