import Foundation
import HealthKit
import HeartRateVariability

@testable import HealthSystem

/// The start of the test beats, in seconds since 1970. An hour, and so a five-minute window, starts at this
/// time.
let begin = 1_763_701_200.0

/// The beats of a strap, for saving in a store.
struct Heart {
  var ticks: [UInt16]
  let start: Double
  var source = HKSource(name: "Strap", bundleIdentifier: "com.example.strap")

  /// Creates intervals at about 70 beats per minute, the same in each run.
  init(beats: Int, start: Double = begin, phase: Double = 0) {
    self.start = start
    ticks = (0..<beats).map { number in
      let place = Double(number) + phase
      return UInt16(880 + 40 * sin(place / 2.1) + 30 * sin(place / 5.3)) + UInt16(number * 7919 % 23)
    }
  }

  var recording: MarkedRecording {
    Cleaning.usual.mark([RRSegment(start: start, ticks: ticks)].compactMap(\.self))
  }

  /// The beats in several series, as a gateway stores them. Each series begins with the last beat of the
  /// previous one.
  var parts: [HKHeartbeatSeriesSample] {
    get throws {
      var total = 0
      return try stride(from: 0, to: ticks.count, by: 300).map { first in
        let offsets = ticks[first..<min(first + 300, ticks.count)].reduce(into: [0]) {
          $0.append($0[$0.count - 1] + Int($1))
        }
        // Dates in a store have a resolution of microseconds.
        let begin = start + (Double(total) / 1024 * 1e6).rounded() / 1e6
        total += offsets.last ?? 0
        return try HKHeartbeatSeriesSample(
          uuid: UUID(), start: Date(timeIntervalSince1970: begin),
          beats: offsets.enumerated().map {
            HKHeartbeatSeriesQueryDescriptor.Heartbeat(
              timeIntervalSinceStart: Double($1) / 1024, precededByGap: $0 == 0)
          }, device: nil, metadata: nil)
      }
    }
  }

  /// The beats in one series, as another program may store them.
  var single: HKHeartbeatSeriesSample {
    get throws {
      let offsets = ticks.reduce(into: [0]) { $0.append($0[$0.count - 1] + Int($1)) }
      return try HKHeartbeatSeriesSample(
        uuid: UUID(), start: Date(timeIntervalSince1970: start),
        beats: offsets.enumerated().map {
          HKHeartbeatSeriesQueryDescriptor.Heartbeat(
            timeIntervalSinceStart: Double($1) / 1024, precededByGap: $0 == 0)
        }, device: nil, metadata: nil)
    }
  }

  func save(in store: HKHealthStore) async throws { try await store.acting(as: source).save(parts) }
}

/// The properties of a derived sample that must not depend on which program derived it, or on when.
struct Figure: Hashable {
  var start: Double
  var end: Double
  var value: UInt64
  var origin: String
  var name: String

  init(_ sample: HKQuantitySample, _ kind: DerivedFigure.Kind) {
    start = sample.startDate.timeIntervalSince1970
    end = sample.endDate.timeIntervalSince1970
    value = sample.quantity.doubleValue(for: kind.unit).bitPattern
    origin = sample.metadata?[DerivedSource.Key.origin] as? String ?? ""
    name = sample.syncIdentifier ?? ""
  }
}

extension HKHealthStore {
  func samples(_ kind: DerivedFigure.Kind) async throws -> [HKQuantitySample] {
    try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: kind.type)], sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: self)
  }

  func figures(_ kind: DerivedFigure.Kind) async throws -> [Figure] {
    try await samples(kind).map { Figure($0, kind) }
  }

  /// Returns the SDNN values in a store, in order.
  func variability() async throws -> [Double] {
    try await samples(.variability).map { $0.quantity.doubleValue(for: .secondUnit(with: .milli)) }
  }

  /// Saves heart rates at a fixed interval, by default one second.
  func saveRates(
    _ rates: [(from: Double, seconds: Int, rate: Double)], step: Double = 1,
    as source: HKSource = HKSource(name: "Strap", bundleIdentifier: "com.example.strap")
  ) async throws {
    let samples = rates.flatMap { from, seconds, rate in
      stride(from: 0, to: Double(seconds), by: step).map { second in
        let time = Date(timeIntervalSince1970: from + second)
        return HKQuantitySample(
          type: HKQuantityType(.heartRate),
          quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: rate), start: time, end: time)
      }
    }
    try await acting(as: source).save(samples)
  }
}

extension DerivationTally {
  init(_ written: Int, _ replaced: Int, _ withdrawn: Int, _ unchanged: Int) {
    self.init()
    (self.written, self.replaced, self.withdrawn) = (written, replaced, withdrawn)
    self.unchanged = unchanged
  }
}
