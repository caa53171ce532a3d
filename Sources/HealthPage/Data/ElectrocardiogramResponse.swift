import Foundation
import HealthKit
import HealthSystem

/// The curve of an electrocardiogram.
struct ElectrocardiogramResponse: Codable, Sendable {
  /// Maximum number of points of a curve. Recordings of a watch (30 s at 512 Hz) have fewer.
  static let most = 20_000

  /// Seconds since the start of the recording, ascending.
  var time: [Double]
  /// The voltage at each time, in millivolts.
  var millivolts: [Double]
  /// Whether the recording has more voltages. Each short interval then has only its lowest and highest one.
  var isReduced: Bool

  static func of(_ store: HKHealthStore, _ identifier: UUID) async throws -> ElectrocardiogramResponse {
    let recording = HKSamplePredicate<HKElectrocardiogram>.electrocardiogram(
      HKQuery.predicateForObject(with: identifier))
    guard
      let found = try await HKSampleQueryDescriptor(predicates: [recording], sortDescriptors: [])
        .result(for: store).first
    else { throw PageError.absent("There is no such electrocardiogram.") }
    var points: [(time: Double, value: Double)] = []
    for try await each in HKElectrocardiogramQueryDescriptor(found).results(for: store) {
      guard let voltage = each.quantity(for: .appleWatchSimilarToLeadI) else { continue }
      points.append((each.timeSinceSampleStart, voltage.doubleValue(for: .voltUnit(with: .milli))))
    }
    let shown = reduced(points)
    // A tenth of a millisecond and of a microvolt is less than a screen shows.
    return ElectrocardiogramResponse(
      time: shown.map { ($0.time * 1e4).rounded() / 1e4 },
      millivolts: shown.map { ($0.value * 1e4).rounded() / 1e4 }, isReduced: shown.count < points.count)
  }

  /// Returns at most ``most`` points: the lowest and the highest one of each short interval, so that no peak
  /// is lost.
  static func reduced(_ points: [(time: Double, value: Double)]) -> [(time: Double, value: Double)] {
    guard points.count > most else { return points }
    let length = (2 * points.count + most - 1) / most
    return stride(from: 0, to: points.count, by: length).flatMap { first in
      let part = first..<min(points.count, first + length)
      let low = part.min { points[$0].value < points[$1].value } ?? first
      let high = part.max { points[$0].value < points[$1].value } ?? first
      return Set([low, high]).sorted().map { points[$0] }
    }
  }
}
