import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route for nights with their sleep stages.
  mutating func addNights(_ stores: StoreCache) {
    reads["/api/nights"] = { request in
      try .json(
        try await NightsResponse.of(
          stores.store(for: request).healthStore, during: request.span(), in: request.zone(),
          withLowest: request.parameters["lowest"] == "yes"))
    }
  }
}
