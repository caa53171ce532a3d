import HealthStorage

/// Turns the samples of a type, in order of their start, into the figures of each interval.
///
/// All sources are merged plainly: where two of them recorded the same steps, both count. (Apple leaves out the
/// overlap of the source with the lower priority.)
struct StatisticsFold: Sendable {
  /// A sample that covers more intervals than this is refused rather than memory exhausted.
  static let greatestSpan = 100_000

  /// The figures of one interval.
  struct Bucket: Sendable {
    let bounds: StatisticsIntervals.Bounds
    var merged = StatisticsAccumulator()
    /// By the place in `StatisticsFold.sources`; empty unless sources are separated.
    var bySource: [Int: StatisticsAccumulator] = [:]
  }

  /// An instantaneous sample whose weight is not known before the next of its source.
  private struct Pending: Sendable {
    var value: Double
    var start: Int64
    var interval: StatisticsIntervals.Bounds
  }

  /// The unit of the first sample, in which all figures are.
  private(set) var unit: HKUnit?
  let sources: [HKSource]
  private let weighting: AverageWeighting
  private let separates: Bool
  private let intervals: StatisticsIntervals?
  private let units: [Int64: HKUnit]
  /// From a sample's provenance to the place of its source.
  private let places: [Int64: Int]
  private var current = Bucket(bounds: StatisticsFold.always)
  private var others: [Int: Bucket] = [:]
  /// These two by the place of the source.
  private var pending: [Pending?]
  private var lastHold: [Int64]

  private static let always = StatisticsIntervals.Bounds(index: 0, start: .min, end: .max)

  /// - Parameter intervals: nil for one interval that holds everything.
  init(
    style: HKQuantityAggregationStyle, separates: Bool, intervals: StatisticsIntervals?,
    keys: SampledValueKeys
  ) {
    weighting = AverageWeighting(style: style)
    self.separates = separates
    self.intervals = intervals
    units = keys.units.compactMapValues { try? HKUnit.validated(from: $0) }
    let records = Array(Set(keys.sources.values))
    let placeOfRecord = Dictionary(uniqueKeysWithValues: records.enumerated().map { ($1, $0) })
    sources = records.map { HKSource($0) }
    places = keys.sources.compactMapValues { placeOfRecord[$0] }
    pending = Array(repeating: nil, count: records.count)
    lastHold = Array(repeating: 0, count: records.count)
  }

  /// - Throws: `HKError` for a sample in a unit that this version cannot read, or one that spans too much.
  mutating func add(_ sample: SampledValue) throws(HKError) {
    guard let source = places[sample.provenance], let unit = units[sample.unit] else {
      throw HKError(.unknownError, reason: "a sample refers to an unknown source or unit")
    }
    let value = converted(sample.value, from: unit)
    let start = Microseconds.clamped(sample.start)
    let end = max(start, Microseconds.clamped(sample.end))
    if weighting.isTemporal { settle(source, until: start) }
    moveTo(start)
    if end == start || end <= current.bounds.end {
      addPart(value, start, end, from: start, to: end, source)
    } else {
      try addParts(value, start, end, source)
    }
    guard weighting.isTemporal, end == start else { return }
    pending[source] = Pending(value: value, start: start, interval: current.bounds)
  }

  /// The intervals that hold a sample, in order.
  consuming func finish() -> [Bucket] {
    for source in pending.indices { settle(source, AverageWeighting.lastHold(after: lastHold[source])) }
    others[current.bounds.index] = current
    return others.values.filter { !$0.merged.isEmpty }.sorted { $0.bounds.index < $1.bounds.index }
  }

  private mutating func converted(_ value: Double, from unit: HKUnit) -> Double {
    guard let target = self.unit else {
      self.unit = unit
      return value
    }
    return unit.convert(value, to: target)
  }

  private mutating func moveTo(_ time: Int64) {
    guard let intervals, !current.bounds.contains(time) || current.bounds == Self.always else { return }
    moveTo(intervals.bounds(at: time))
  }

  private mutating func moveTo(_ bounds: StatisticsIntervals.Bounds) {
    if !current.merged.isEmpty { others[current.bounds.index] = current }
    current = others.removeValue(forKey: bounds.index) ?? Bucket(bounds: bounds)
  }

  /// A sample that reaches over the end of its interval, part by part.
  private mutating func addParts(
    _ value: Double, _ start: Int64, _ end: Int64, _ source: Int
  ) throws(HKError) {
    let first = current.bounds
    var span = 0
    addPart(value, start, end, from: start, to: first.end, source)
    while current.bounds.end < end {
      span += 1
      guard span <= Self.greatestSpan, let intervals else {
        throw HKError(
          .errorInvalidArgument, reason: "a sample spans more than \(Self.greatestSpan) intervals")
      }
      moveTo(intervals.bounds(current.bounds.index + 1))
      addPart(value, start, end, from: current.bounds.start, to: min(end, current.bounds.end), source)
    }
    moveTo(first)
  }

  private mutating func addPart(
    _ value: Double, _ start: Int64, _ end: Int64, from: Int64, to: Int64, _ source: Int
  ) {
    let fraction = end == start ? 1 : Double(to - from) / Double(end - start)
    let weight: Double? = weighting.isTemporal ? (end == start ? nil : Double(to - from)) : 1
    let averaged = weighting.averaged(value)
    Self.update(&current, separates ? source : nil) { accumulator in
      accumulator.add(
        value: value, start: start, end: end, fraction: fraction, covered: to - from, isStart: from == start)
      if let weight { accumulator.average(averaged, weight: weight) }
    }
  }

  /// Gives the waiting sample of a source its weight, now that the next one is here.
  private mutating func settle(_ source: Int, until next: Int64) {
    guard let waiting = pending[source] else { return }
    let hold = AverageWeighting.hold(next - waiting.start)
    lastHold[source] = hold
    settle(source, hold)
  }

  private mutating func settle(_ source: Int, _ hold: Int64) {
    guard let waiting = pending[source] else { return }
    pending[source] = nil
    let averaged = weighting.averaged(waiting.value)
    let weigh = { (accumulator: inout StatisticsAccumulator) in
      accumulator.average(averaged, weight: Double(hold))
    }
    if waiting.interval.index == current.bounds.index {
      Self.update(&current, separates ? source : nil, weigh)
    } else {
      Self.update(
        &others[waiting.interval.index, default: Bucket(bounds: waiting.interval)],
        separates ? source : nil, weigh)
    }
  }

  private static func update(
    _ bucket: inout Bucket, _ source: Int?, _ body: (inout StatisticsAccumulator) -> Void
  ) {
    body(&bucket.merged)
    if let source { body(&bucket.bySource[source, default: StatisticsAccumulator()]) }
  }
}
