import Foundation
import HealthKit
import HeartRateVariability

// Reads the samples that derivation needs: its inputs, and the samples already derived. Times are in seconds
// since 1970.

extension HKHealthStore {
  /// Returns the heartbeat series that overlap a period, ordered by start.
  func beatParts(from start: Double, to end: Double) async throws -> [BeatPart] {
    let series = HKSamplePredicate<HKHeartbeatSeriesSample>.heartbeatSeries(Self.overlap(start, end))
    return try await reduceSamples(into: [], [series]) { parts, sample in
      if let part = BeatPart(sample) { parts.append(part) }
    }
  }

  /// Returns the heart rates measured in a period, by source.
  func heartRates(from start: Double, to end: Double) async throws -> [HKSource: HeartRateSeries] {
    let predicate = HKQuery.predicateForSamples(
      withStart: Date(timeIntervalSince1970: start), end: Date(timeIntervalSince1970: end), options: [])
    let rates = HKSamplePredicate<HKQuantitySample>.quantitySample(
      type: HKQuantityType(.heartRate), predicate: predicate)
    let readings = try await reduceQuantities(
      into: [HKSource: [HeartRateReading]](), rates, in: DerivedFigure.Kind.restingHeartRate.unit
    ) { readings, rate in
      guard rate.start >= start, rate.start < end,
        let reading = HeartRateReading(time: rate.start, beatsPerMinute: rate.value)
      else { return }
      readings[rate.source, default: []].append(reading)
    }
    return readings.mapValues { HeartRateSeries($0) }
  }

  /// Returns the time ranges of the workouts that overlap a period.
  func workoutTimes(from start: Double, to end: Double) async throws -> [Window] {
    try await reduceSamples(into: [], [HKSamplePredicate<HKWorkout>.workout(Self.overlap(start, end))]) {
      times, workout in
      let (start, end) = (workout.startDate, workout.endDate)
      if let time = Window(start: start.timeIntervalSince1970, end: end.timeIntervalSince1970) {
        times.append(time)
      }
    }
  }

  /// Returns the derived samples of a kind that start in a period, by sync identifier.
  func derivedSamples(
    _ kind: DerivedFigure.Kind, from start: Double, to end: Double
  ) async throws -> [String: HKQuantitySample] {
    let inTime = HKQuery.predicateForSamples(
      withStart: Date(timeIntervalSince1970: start), end: Date(timeIntervalSince1970: end),
      options: .strictStartDate)
    let own = HKQuery.predicateForObjects(from: DerivedSource.source)
    let samples = HKSamplePredicate<HKQuantitySample>.quantitySample(
      type: kind.type, predicate: NSCompoundPredicate(andPredicateWithSubpredicates: [own, inTime]))
    return try await reduceSamples(into: [:], [samples]) { found, sample in
      if let identifier = sample.syncIdentifier { found[identifier] = sample }
    }
  }

  /// Returns the start of the first sample of any of the types that starts at `time` or later, or nil if
  /// there is no such sample.
  func firstTime(of types: [HKSampleType], from time: Double) async throws -> Double? {
    let later = HKQuery.predicateForSamples(
      withStart: Date(timeIntervalSince1970: time), end: nil, options: [])
    var first: Double?
    for type in types {
      let sample = HKSamplePredicate<HKSample>.sample(type: type, predicate: later)
      let found = try await reduceSamples(into: Double?.none, [sample], limit: 1) {
        $0 = max($1.startDate.timeIntervalSince1970, time)
      }
      if let found { first = min(first ?? found, found) }
    }
    return first
  }

  private static func overlap(_ start: Double, _ end: Double) -> NSPredicate {
    HKQuery.predicateForSamples(
      withStart: Date(timeIntervalSince1970: start), end: Date(timeIntervalSince1970: end), options: [])
  }
}
