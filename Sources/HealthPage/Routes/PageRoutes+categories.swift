import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the route for the samples of a category type, for a timeline.
  mutating func addCategories(_ stores: StoreCache) {
    reads["/api/categories"] = { question in
      guard let type = try question.sampleType() as? HKCategoryType else {
        throw PageError.argument("A timeline needs a category type, such as headache.")
      }
      return try .json(
        try await CategoriesResponse.of(
          type, stores.store(for: question).healthStore, question.selection()))
    }
  }
}
