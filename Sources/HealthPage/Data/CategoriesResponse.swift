import Foundation
import HealthDataSync
import HealthKit

/// Samples of a category type in order of time, for a timeline. Arrays of numbers with times in milliseconds
/// since 1970, as in ``SeriesResponse``.
struct CategoriesResponse: Codable, Sendable {
  struct Value: Codable, Sendable {
    /// The number in HealthKit. Severities have ascending ones.
    var value: Int
    /// The name in HealthKit, such as `severe` or `notApplicable`; absent for a value that this version does
    /// not know.
    var name: String?
  }

  /// The values that occur, in ascending order.
  var values: [Value] = []
  var time: [Double] = []
  /// The same as `time` for an instant; now for a sample that is ongoing.
  var end: [Double] = []
  /// The index of each one's value in `values`.
  var value: [Int] = []
  /// Whether there are more than these, the latest ones.
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
    var answer = CategoriesResponse(isCut: found.count > limit)
    answer.values = numbers.map {
      Value(value: $0, name: CaseName.text($0, in: type.valueEnumeration))
    }
    for sample in found.prefix(limit).reversed() {
      answer.time.append(sample.start.milliseconds)
      answer.end.append(max(sample.start, min(sample.end, max(now, sample.start))).milliseconds)
      answer.value.append(numbers.firstIndex(of: sample.value) ?? 0)
    }
    return answer
  }

  private struct Sample: Sendable {
    let start: Date
    let end: Date
    let value: Int
  }
}
