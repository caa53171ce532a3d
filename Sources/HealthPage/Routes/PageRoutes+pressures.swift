import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route for blood pressures.
  mutating func addPressures(_ stores: StoreCache) {
    reads["/api/pressures"] = { request in
      try .json(
        try await PressuresResponse.of(stores.store(for: request).healthStore, request.selection()))
    }
  }
}
