import Foundation
import HealthKit
import HealthSystem

/// Blood pressures in chronological order, as arrays of numbers. Times are in milliseconds since 1970, as in
/// ``SeriesResponse``.
struct PressuresResponse: Codable, Sendable {
  var unit: String
  var sources: [SourceName] = []
  var time: [Double] = []
  var systolic: [Double] = []
  var diastolic: [Double] = []
  /// For each blood pressure, the index of its source in `sources`.
  var from: [Int] = []
  /// Whether earlier blood pressures were left out because there are too many.
  var isCut = false

  /// Maximum number of blood pressures in a response.
  static let most = 5000

  /// Returns the blood pressures that match a predicate.
  /// - Parameter limit: Maximum number of blood pressures. If there are more, the latest ones are returned.
  static func of(
    _ store: HKHealthStore, _ predicate: NSPredicate?, limit: Int = most
  ) async throws -> PressuresResponse {
    let high = HKQuantityType(.bloodPressureSystolic)
    let low = HKQuantityType(.bloodPressureDiastolic)
    let unit = try await store.shownUnit(of: high)
    let type = HKCorrelationType(.bloodPressure)
    let found = try await store.reduceSamples(
      into: [Pair](), [HKSamplePredicate<HKCorrelation>.correlation(type: type, predicate: predicate)],
      limit: limit + 1, ascending: false
    ) { pairs, sample in
      func value(of type: HKQuantityType) -> Double? {
        (sample.objects(for: type).first as? HKQuantitySample)?.quantity.doubleValue(for: unit)
      }
      guard let systolic = value(of: high), let diastolic = value(of: low) else { return }
      pairs.append(Pair(sample, systolic, diastolic))
    }
    var response = PressuresResponse(unit: unit.unitString)
    response.isCut = found.count > limit
    let pairs = found.prefix(limit).reversed()
    let sources = Set(pairs.map(\.source)).byName
    let places = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ($1, $0) })
    response.sources = sources.map { SourceName($0) }
    for pair in pairs {
      response.time.append(pair.time)
      response.systolic.append(pair.systolic)
      response.diastolic.append(pair.diastolic)
      response.from.append(places[pair.source] ?? 0)
    }
    return response
  }

  private struct Pair: Sendable {
    let time: Double
    let systolic: Double
    let diastolic: Double
    let source: HKSource

    init(_ sample: HKCorrelation, _ systolic: Double, _ diastolic: Double) {
      (time, source) = (sample.startDate.milliseconds, sample.sourceRevision.source)
      (self.systolic, self.diastolic) = (systolic, diastolic)
    }
  }
}
