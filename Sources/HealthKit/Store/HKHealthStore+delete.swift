import Foundation
import HealthStorage

extension HKHealthStore {
  func remove(_ objects: [HKObject]) async throws {
    try await HKError.translating {
      let types = Set(objects.compactMap { ($0 as? HKSample)?.sampleType })
      try await admit(.save(types)).delete(
        objects.map(\.uuid), savedBy: revision.source.bundleIdentifier,
        protection: ObjectTypes.protection)
    }
  }

  func remove(_ type: HKObjectType, _ predicate: PredicateTranslation) async throws -> Int {
    guard let type = type as? HKSampleType else {
      throw HKError(.errorInvalidArgument, reason: "objects of \(type) cannot be deleted")
    }
    return try await HKError.translating {
      try await admit(.save([type]))
        .delete(SampleFilter.samples(of: type, predicate), savedBy: revision.source.bundleIdentifier)
    }
  }
}
