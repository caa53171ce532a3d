import Foundation
import HealthStorage

/// Makes the samples of what a builder gathered.
struct QuantitySeriesMaking: Sendable {
  let type: HKQuantityType
  let start: Date
  /// nil for the end of the last quantity.
  let end: Date?
  let device: HKDevice?
  let metadata: ObjectMetadata?

  /// One sample, or as many as the limits of count and length call for. The first begins where the series
  /// does, each other with its first quantity; the last ends where the series does.
  /// - Throws: errorInvalidArgument.
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
    // Each part would replace the one before it.
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

  /// By start; of two with the same start the later insertion.
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

  /// As few as the greatest count and the greatest length allow. A quantity that is longer is a part of its
  /// own.
  ///
  /// A long sample would make the search for overlaps of every later query on its type long. With a sync
  /// identifier the length is not bounded: then there can be one sample only.
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

  /// An hour, in microseconds: what lasts no longer is what Apple recommends of samples.
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
    let only = quantities[0]
    if quantities.count == 1, only.start == interval.startMicroseconds, only.end == interval.endMicroseconds {
      return HKQuantitySample.make(type, HKQuantity(unit: unit, doubleValue: only.value), interval, origin)
    }
    let series = try QuantitySeries.of(quantities, in: unit, type, from: interval.startMicroseconds)
    return HKQuantitySample.make(
      type, HKQuantity(unit: unit, doubleValue: series.value), interval, origin, series: series)
  }
}
