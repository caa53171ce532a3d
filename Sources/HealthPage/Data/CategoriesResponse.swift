import Foundation
import HealthDataSync
import HealthKit

/// The samples of a category type in chronological order, for a timeline. They are arrays of numbers, with
/// times in milliseconds since 1970, as in ``SeriesResponse``.
struct CategoriesResponse: Codable, Sendable {
  struct Value: Codable, Sendable {
    /// The raw value of HealthKit's enumeration. For severities, a higher value is more severe.
    var value: Int
    /// The name in HealthKit, such as `severe` or `notApplicable`; absent for a value that this version does
    /// not know.
    var name: String?
  }

  /// The values that occur, in ascending order.
  var values: [Value] = []
  var time: [Double] = []
  /// The end of each sample: its start if the sample has no duration, and the current time if it is ongoing.
  var end: [Double] = []
  /// For each sample, the index of its value in `values`.
  var value: [Int] = []
  /// Whether earlier samples were left out because there are too many.
  var isCut = false

  /// Maximum number of samples in a response.
  static let most = 5000

  /// - Parameter limit: Maximum number of samples; the latest are kept.
  static func of(
    _ type: HKCategoryType, _ store: HKHealthStore, _ predicate: NSPredicate?, limit: Int = most,
    now: Date = Date()
  ) async throws -> CategoriesResponse {
    let found = try await store.reduceSamples(
      into: [Sample](),
      [HKSamplePredicate<HKCategorySample>.categorySample(type: type, predicate: predicate)],
      limit: limit + 1, ascending: false
    ) { $0.append(Sample(start: $1.startDate, end: $1.endDate, value: $1.value)) }
    let numbers = Set(found.prefix(limit).map(\.value)).sorted()
    var response = CategoriesResponse(isCut: found.count > limit)
    response.values = numbers.map {
      Value(value: $0, name: CaseName.text($0, in: type.enumeration))
    }
    for sample in found.prefix(limit).reversed() {
      response.time.append(sample.start.milliseconds)
      response.end.append(max(sample.start, min(sample.end, max(now, sample.start))).milliseconds)
      response.value.append(numbers.firstIndex(of: sample.value) ?? 0)
    }
    return response
  }

  private struct Sample: Sendable {
    let start: Date
    let end: Date
    let value: Int
  }
}
