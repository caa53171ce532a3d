import HealthFormats
import HealthStorage

/// Computes the statistics of each interval from the samples of a type, which are added in the order of their
/// starts.
///
/// In memory, it keeps only statistics and samples that have not ended. Sums of several sources are merged by
/// `SourceMerge`. All other statistics include the samples of all sources.
struct StatisticsFold: Sendable {
  /// The number of interval bounds that each sample may cross without counting toward `greatestSpan`. Their
  /// cost is at most proportional to the number of samples.
  static let fewBounds = 4
  /// Maximum total number of interval bounds that samples may cross, not counting `fewBounds` per sample.
  /// More would take too long.
  static let greatestSpan = 2_000_000
  /// Maximum number of interval bounds that a single sample may cross. All these intervals are in memory at
  /// the same time.
  static let greatestReach = 500_000

  /// The unit of all results, which is the unit of the first sample.
  private(set) var unit: HKUnit?
  /// The sources in order of priority.
  let sources: [HKSource]
  let weighting: AverageWeighting
  private let separates: Bool
  private let units: [Int64: HKUnit]
  /// The conversions of units into `unit`, by the row ID of the unit. The conversion of `unit` itself is nil.
  private var conversions: [Int64: UnitConversion?] = [:]
  private var last: (unit: Int64, conversion: UnitConversion?)?
  /// The indices in `sources`, by the row ID of a sample's provenance (its source revision and device).
  private let places: [Int64: Int]
  /// The indices in `sources`, by the row ID of the source.
  private let indexesOfSources: [Int64: Int]
  private var lastSource: (provenance: Int64, place: Int)?
  private var lastStart = Int64.min
  /// The number of interval bounds that samples have crossed so far, not counting `fewBounds` per sample.
  private(set) var span = 0
  private var buckets: StatisticsBuckets
  /// The instantaneous samples whose weights are not known yet, by source index. Each is stored with the
  /// index of the interval in which it counts.
  private var weights: TemporalWeights<Int>

  /// Creates a computation without samples.
  /// - Parameter intervals: The intervals; nil for a single interval that contains everything.
  init(
    style: HKQuantityAggregationStyle, separates: Bool, intervals: StatisticsIntervals?,
    keys: SampledValueKeys
  ) {
    weighting = AverageWeighting(style: style)
    self.separates = separates
    units = keys.units.compactMapValues { try? HKUnit.validated(from: $0) }
    let order = SourceOrder(keys.sources, chosen: keys.chosen).places
    sources = order.map { HKSource(keys.sources[$0]) }
    let placeOfSource = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    places = keys.provenances.compactMapValues { placeOfSource[$0] }
    indexesOfSources = keys.places.compactMapValues { placeOfSource[$0] }
    let merges = style == .cumulative && sources.count > 1
    buckets = StatisticsBuckets(intervals, merge: merges ? SourceMerge(sourceCount: sources.count) : nil)
    weights = TemporalWeights(sourceCount: sources.count)
  }

  /// Adds a sample, which must not begin before the previous one.
  /// - Throws: `HKError` if the unit is unknown, the sample is out of order, too many interval bounds are
  ///   crossed, or no interval contains the sample.
  mutating func add(_ sample: SampledValue) throws(HKError) {
    let value = try converted(sample)
    let source = try place(of: sample.provenance)
    let start = Microseconds.clamped(sample.start)
    let end = max(start, Microseconds.clamped(sample.end))
    guard start >= lastStart else { throw HKError(.unknownError, reason: "samples came out of order") }
    lastStart = start
    try buckets.move(to: start)
    // Limit the number of intervals: any program may have saved a sample that covers years, which would
    // create millions of intervals.
    if end > buckets.current.bounds.end { try reserve(end - start) }
    let sample = SamplePart(
      value: value, start: start, end: end, from: start, to: end, source: source, isEntered: sample.isMarked)
    // The weight of an instantaneous sample depends on the next sample of its source. `weights` adds it
    // later.
    let weighs = end > start || !weighting.isTemporal
    buckets.forEach(part: sample) { [weighting, separates] bucket, part in
      bucket.update(separates ? source : nil) { figures in
        figures.add(part)
        if weighs { figures.average(weighting.averaged(value), weight: weighting.weight(of: part)) }
      }
      if separates { bucket.bySource[source]?.add(sum: part.share) }
    }
    guard weighting.isTemporal else { return }
    let waiting = end == start ? (value, buckets.current.bounds.index) : nil
    average(weights.follow(start, of: source, waiting: waiting), of: source)
  }

  /// Returns whether a group of instantaneous samples can be added at once. They must be in one interval and
  /// in the unit of this computation, must not begin before the previous sample, and the parts of one source
  /// must not overlap.
  /// - Throws: `HKError` if no interval contains the samples.
  mutating func canTake(_ instants: PackedInstants) throws(HKError) -> Bool {
    let starts = instants.starts
    guard starts.lowerBound >= lastStart, starts.upperBound == Microseconds.clamped(starts.upperBound),
      let unit = units[instants.parts[0].unit], self.unit ?? unit == unit
    else { return false }
    var ends: [Int: Int64] = [:]
    for part in instants.parts {
      guard units[part.unit] == unit, let place = places[part.provenance], let first = part.starts.first,
        ends[place].map({ first > $0 }) ?? true
      else { return false }
      ends[place] = part.starts.last
    }
    try buckets.move(to: starts.lowerBound)
    return buckets.current.bounds.contains(starts.upperBound)
  }

  /// Adds a group of instantaneous samples.
  /// - Parameters:
  ///   - instants: Samples for which `canTake(_:)` returned true.
  ///   - figures: The statistics of each part of the group.
  mutating func add(_ instants: PackedInstants, _ figures: [InstantFigures]) throws(HKError) {
    unit = unit ?? units[instants.parts[0].unit]
    lastStart = instants.starts.upperBound
    for (part, figures) in zip(instants.parts, figures) {
      let source = try place(of: part.provenance)
      buckets.current.update(separates ? source : nil) { $0.add(figures) }
      guard weighting.isTemporal else { continue }
      for weighed in weights.follow(figures, of: source, in: buckets.current.bounds.index) {
        average(weighed, of: source)
      }
    }
  }

  /// Adds the stored statistics of an hour, which must begin after the previous sample and end before the
  /// next.
  /// - Returns: False if the samples must be added individually, because the hour extends over several
  ///   intervals or is in another unit. In that case, nothing has changed.
  /// - Throws: `HKError` if no interval contains the hour.
  mutating func add(_ hour: HourSummary) throws(HKError) -> Bool {
    guard let unit = units[hour.unit], self.unit ?? unit == unit, hour.all.first >= lastStart else {
      return false
    }
    var found: [Int] = []
    for source in hour.bySource {
      guard let place = indexesOfSources[source.source] else { return false }
      found.append(place)
    }
    try buckets.move(to: hour.all.first)
    let end = buckets.current.bounds.end
    guard hour.all.last < end, hour.all.latestEnd <= end else { return false }
    self.unit = unit
    lastStart = hour.all.last
    for (place, source) in zip(found, hour.bySource) where weighting.isTemporal {
      average(weights.pass(from: source.figures.first, to: source.figures.last, of: place), of: place)
    }
    buckets.current.merged.add(hour.all)
    if separates {
      for (place, source) in zip(found, hour.bySource) {
        buckets.current.bySource[place, default: StatisticsAccumulator()].add(source.figures)
      }
    }
    return true
  }

  /// Returns the intervals with samples, in order.
  consuming func finish() -> [StatisticsBuckets.Bucket] {
    for source in sources.indices { average(weights.finish(source), of: source) }
    return buckets.finish()
  }

  private mutating func converted(_ sample: SampledValue) throws(HKError) -> Double {
    // Consecutive samples usually have the same unit, so compare with the last one before using the
    // dictionary.
    if let last, last.unit == sample.unit { return last.conversion?.convert(sample.value) ?? sample.value }
    let conversion = try conversion(of: sample.unit)
    last = (sample.unit, conversion)
    return conversion?.convert(sample.value) ?? sample.value
  }

  private mutating func conversion(of key: Int64) throws(HKError) -> UnitConversion? {
    if let known = conversions[key] { return known }
    guard let unit = units[key] else {
      throw HKError(
        .unknownError, reason: "a sample refers to a unit that the store does not have; restore a backup")
    }
    let target = self.unit ?? unit
    self.unit = target
    let conversion = unit == target ? nil : unit.conversion(to: target)
    conversions[key] = .some(conversion)
    return conversion
  }

  private mutating func place(of provenance: Int64) throws(HKError) -> Int {
    if let lastSource, lastSource.provenance == provenance { return lastSource.place }
    guard let place = places[provenance] else {
      throw HKError(
        .unknownError, reason: "a sample refers to a source that the store does not have; restore a backup")
    }
    lastSource = (provenance, place)
    return place
  }

  /// Adds the number of interval bounds that a sample crosses, less `fewBounds`, to `span`. Throws if
  /// `greatestReach` or `greatestSpan` is exceeded.
  private mutating func reserve(_ duration: Int64) throws(HKError) {
    let bounds = buckets.count(in: duration)
    guard bounds <= Self.greatestReach else {
      throw HKError(
        .errorInvalidArgument,
        reason: "a sample covers more than \(Self.greatestReach) intervals; use longer intervals")
    }
    span += max(0, bounds - Self.fewBounds)
    guard span <= Self.greatestSpan else {
      throw HKError(
        .errorInvalidArgument,
        reason: "samples cross more than \(Self.greatestSpan) interval bounds; use longer intervals"
      )
    }
  }

  /// Adds a sample whose weight is now known to the average.
  private mutating func average(_ weighed: TemporalWeights<Int>.Weighed?, of source: Int) {
    guard let weighed else { return }
    buckets.update(weighed.place) { [weighting, separates] bucket in
      bucket.update(separates ? source : nil) {
        $0.average(weighting.averaged(weighed.value), weight: weighed.weight)
      }
    }
  }
}
