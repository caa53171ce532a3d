import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route for nights with their sleep stages.
  mutating func addNights(_ stores: StoreCache) {
    reads["/api/nights"] = { question in
      try .json(
        try await NightsResponse.of(
          stores.store(for: question).healthStore, during: question.span(), in: question.zone(),
          withLowest: question.parameters["lowest"] == "yes"))
    }
  }
}
