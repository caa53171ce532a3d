import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route for blood pressures.
  mutating func addPressures(_ stores: StoreCache) {
    reads["/api/pressures"] = { question in
      try .json(
        try await PressuresResponse.of(stores.store(for: question).healthStore, question.selection()))
    }
  }
}
