import Foundation
import HealthStorage

/// Creates the samples of a series from the quantities collected by a builder.
struct QuantitySeriesMaking: Sendable {
  let type: HKQuantityType
  let start: Date
  /// The end of the series; nil for the end of the last quantity.
  let end: Date?
  let device: HKDevice?
  let metadata: ObjectMetadata?

  /// Returns one sample, or as many as the count and length limits require.
  ///
  /// The first sample starts with the series, each other sample with its first quantity. The last sample ends
  /// with the series.
  /// - Throws: `HKError` errorInvalidArgument.
  func samples(_ insertions: [HKQuantitySeriesSampleBuilder.Insertion]) throws -> [HKQuantitySample] {
    guard let unit = insertions.first?.quantity.unit else {
      throw HKError(.errorInvalidArgument, reason: "a series needs a quantity")
    }
    let quantities = ordered(insertions, unit)
    let last = quantities.reduce(Microseconds.clamped(start)) { max($0, $1.end) }
    if let end, Microseconds.clamped(end) < last {
      throw HKError(.errorInvalidArgument, reason: "a series must not end before its quantities do")
    }
    let parts = parts(quantities)
    // Several samples would have the same sync identifier, so each one would replace the previous one.
    guard parts.count == 1 || metadata?.encoded.sync == nil else {
      throw HKError(
        .errorInvalidArgument, reason: "a series of several samples cannot have a sync identifier")
    }
    do {
      return try parts.enumerated().map { index, part in
        try sample(part, unit, isFirst: index == 0, isLast: index == parts.count - 1)
      }
    } catch let error as HKValidationError {
      throw HKError(invalid: error)
    }
  }

  /// Returns the quantities ordered by start, with only the latest insertion for each start.
  private func ordered(
    _ insertions: [HKQuantitySeriesSampleBuilder.Insertion], _ unit: HKUnit
  ) -> [SeriesQuantity] {
    let order = insertions.indices.sorted { (insertions[$0].start, $0) < (insertions[$1].start, $1) }
    var quantities: [SeriesQuantity] = []
    quantities.reserveCapacity(order.count)
    for insertion in order.lazy.map({ insertions[$0] }) {
      if quantities.last?.start == insertion.start { quantities.removeLast() }
      quantities.append(
        SeriesQuantity(
          start: insertion.start, end: insertion.end, value: insertion.quantity.doubleValue(for: unit)))
    }
    return quantities
  }

  /// Splits the quantities into as few parts as the count and length limits allow. A quantity longer than the
  /// limit is a part of its own.
  ///
  /// The length is limited, because long samples make every query on their type search further back for
  /// samples that overlap its range. A series with a sync identifier must be a single sample, so its length
  /// is not limited.
  private func parts(_ quantities: [SeriesQuantity]) -> [ArraySlice<SeriesQuantity>] {
    let isBounded = metadata?.encoded.sync == nil
    var parts: [ArraySlice<SeriesQuantity>] = []
    var first = 0
    var begin = Microseconds.clamped(start)
    for (index, quantity) in quantities.enumerated() where index > first {
      let isTooLong = isBounded && quantity.end - begin > Self.greatestLength
      guard isTooLong || index - first == HKQuantitySeriesSampleBuilder.greatestCount else { continue }
      parts.append(quantities[first..<index])
      (first, begin) = (index, quantity.start)
    }
    return parts + [quantities[first...]]
  }

  /// Maximum length of a sample in microseconds: one hour. Apple recommends samples of an hour or less.
  private static let greatestLength: Int64 = 3_600_000_000

  private func sample(
    _ part: ArraySlice<SeriesQuantity>, _ unit: HKUnit, isFirst: Bool, isLast: Bool
  ) throws -> HKQuantitySample {
    let quantities = Array(part)
    let latestEnd = quantities.reduce(quantities[0].end) { max($0, $1.end) }
    let begin = isFirst ? start : Microseconds.date(quantities[0].start)
    let finish = isLast ? end ?? max(begin, Microseconds.date(latestEnd)) : Microseconds.date(latestEnd)
    let interval = try SampleInterval(start: begin, end: finish, of: type)
    try RequiredMetadata.check(metadata, of: type)
    let origin = ObjectOrigin(device: device, metadata: metadata)
    // If one quantity covers the whole sample, store a plain sample instead of a series.
    let only = quantities[0]
    if quantities.count == 1, only.start == interval.startMicroseconds, only.end == interval.endMicroseconds {
      return HKQuantitySample.make(type, HKQuantity(unit: unit, doubleValue: only.value), interval, origin)
    }
    let series = try QuantitySeries.of(quantities, in: unit, type, from: interval.startMicroseconds)
    return HKQuantitySample.make(
      type, HKQuantity(unit: unit, doubleValue: series.value), interval, origin, series: series)
  }
}

extension QuantitySeries {
  /// Returns the series of quantities with its sum or average, minimum and maximum.
  /// - Parameters:
  ///   - quantities: At least one quantity, ordered by start; no two may have the same start.
  ///   - origin: The start of the sample, in microseconds.
  /// - Throws: `HKError` errorInvalidArgument if the sum or average is not finite.
  static func of(
    _ quantities: [SeriesQuantity], in unit: HKUnit, _ type: HKQuantityType, from origin: Int64
  ) throws(HKError) -> QuantitySeries {
    let values = quantities.map {
      SampledValue(start: $0.start, end: $0.end, value: $0.value, unit: 0, provenance: 0)
    }
    let keys = SampledValueKeys(
      units: [0: unit.unitString], sources: [SourceRecord(bundleIdentifier: "", name: "")],
      provenances: [0: 0])
    guard let extremes = SeriesExtremes(of: quantities),
      let figures = try HKStatistics.of(type, values, keys),
      let total = figures.sumQuantity() ?? figures.averageQuantity(), total.value.isFinite
    else { throw HKError(.errorInvalidArgument, reason: "the total of a series is not a finite number") }
    return QuantitySeries(
      unit: unit.unitString, value: total.value, count: quantities.count,
      minimum: extremes.minimum, maximum: extremes.maximum, latest: extremes.latest,
      quantities: QuantitySeriesCodec.encode(quantities, from: origin))
  }
}

extension DateInterval {
  init(_ quantity: SeriesQuantity) {
    let start = Microseconds.date(quantity.start)
    self.init(start: start, end: max(start, Microseconds.date(quantity.end)))
  }
}
