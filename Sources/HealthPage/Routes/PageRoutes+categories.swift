import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route for the samples of a category type, for a timeline.
  mutating func addCategories(_ stores: StoreCache) {
    reads["/api/categories"] = { request in
      guard let type = try request.sampleType() as? HKCategoryType else {
        throw PageError.argument("A timeline needs a category type, such as headache.")
      }
      return try .json(
        try await CategoriesResponse.of(
          type, stores.store(for: request).healthStore, request.selection()))
    }
  }
}
