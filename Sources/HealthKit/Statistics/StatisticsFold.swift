import HealthFormats
import HealthStorage

/// Turns the samples of a type, in order of their start, into the figures of each interval.
///
/// What it keeps are the figures and what overlaps now, not the samples. Sums of several sources are merged
/// as `SourceMerge` says; all other figures are those of all samples.
struct StatisticsFold: Sendable {
  /// Every sample may reach over this many bounds of intervals: the work stays in proportion to the samples.
  static let fewBounds = 4
  /// Samples that together reach over more bounds than this are refused: they would take too much time.
  static let greatestSpan = 2_000_000
  /// A sample that alone reaches over more is refused: the figures of all those intervals are in memory at
  /// once.
  static let greatestReach = 500_000

  /// The unit of the first sample, in which all figures are.
  private(set) var unit: HKUnit?
  /// The first counts most where several measured the same.
  let sources: [HKSource]
  let weighting: AverageWeighting
  private let separates: Bool
  private let units: [Int64: HKUnit]
  /// The conversions into `unit`, by the units that occurred; nil for `unit` itself.
  private var conversions: [Int64: UnitConversion?] = [:]
  private var last: (unit: Int64, conversion: UnitConversion?)?
  /// From a sample's provenance to the place of its source.
  private let places: [Int64: Int]
  /// From the key of a source to its place.
  private let placesOfSources: [Int64: Int]
  private var lastSource: (provenance: Int64, place: Int)?
  private var lastStart = Int64.min
  /// The bounds that samples reached over, beyond a few of each.
  private(set) var span = 0
  private var buckets: StatisticsBuckets
  /// By the place of the source. A weight counts in the interval of an index.
  private var weights: TemporalWeights<Int>

  /// - Parameter intervals: nil for one interval that holds everything.
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
    placesOfSources = keys.places.compactMapValues { placeOfSource[$0] }
    let merges = style == .cumulative && sources.count > 1
    buckets = StatisticsBuckets(intervals, merge: merges ? SourceMerge(sourceCount: sources.count) : nil)
    weights = TemporalWeights(sourceCount: sources.count)
  }

  /// - Parameter sample: one that begins no earlier than the one before.
  /// - Throws: `HKError` for a sample in a unit that this version cannot read, one out of order, one too many
  ///   that reaches over the bounds of intervals, or one at a time that no interval holds.
  mutating func add(_ sample: SampledValue) throws(HKError) {
    let value = try converted(sample)
    let source = try place(of: sample.provenance)
    let start = Microseconds.clamped(sample.start)
    let end = max(start, Microseconds.clamped(sample.end))
    guard start >= lastStart else { throw HKError(.unknownError, reason: "samples came out of order") }
    lastStart = start
    try buckets.move(to: start)
    if end > buckets.current.bounds.end { try reserve(end - start) }
    let sample = SamplePart(
      value: value, start: start, end: end, from: start, to: end, source: source, isEntered: sample.isMarked)
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

  /// Whether instants, which begin no earlier than the sample before and end before the one after, can be
  /// taken at once: they lie in one interval, in the unit of all, and parts of one source do not overlap.
  /// - Throws: `HKError` for instants at a time that no interval holds.
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

  /// - Parameters:
  ///   - instants: that it can take.
  ///   - figures: of each part.
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

  /// Takes in an hour at once, which begins no earlier than the sample before and ends before the one after.
  /// - Returns: false, and nothing is changed, if the samples must come instead: it lies in more than one
  ///   interval, or its values are in another unit.
  /// - Throws: `HKError` for an hour at a time that no interval holds.
  mutating func add(_ hour: HourSummary) throws(HKError) -> Bool {
    guard let unit = units[hour.unit], self.unit ?? unit == unit, hour.all.first >= lastStart else {
      return false
    }
    var found: [Int] = []
    for source in hour.bySource {
      guard let place = placesOfSources[source.source] else { return false }
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

  /// The intervals that hold a sample, in order.
  consuming func finish() -> [StatisticsBuckets.Bucket] {
    for source in sources.indices { average(weights.finish(source), of: source) }
    return buckets.finish()
  }

  private mutating func converted(_ sample: SampledValue) throws(HKError) -> Double {
    if let last, last.unit == sample.unit { return last.conversion?.convert(sample.value) ?? sample.value }
    let conversion = try conversion(of: sample.unit)
    last = (sample.unit, conversion)
    return conversion?.convert(sample.value) ?? sample.value
  }

  private mutating func conversion(of key: Int64) throws(HKError) -> UnitConversion? {
    if let known = conversions[key] { return known }
    guard let unit = units[key] else {
      throw HKError(.unknownError, reason: "a sample refers to an unknown unit")
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
      throw HKError(.unknownError, reason: "a sample refers to an unknown source")
    }
    lastSource = (provenance, place)
    return place
  }

  /// Counts what a sample that reaches over the end of its interval will cost.
  private mutating func reserve(_ duration: Int64) throws(HKError) {
    let bounds = buckets.count(in: duration)
    guard bounds <= Self.greatestReach else {
      throw HKError(
        .errorInvalidArgument, reason: "a sample reaches over more than \(Self.greatestReach) intervals")
    }
    span += max(0, bounds - Self.fewBounds)
    guard span <= Self.greatestSpan else {
      throw HKError(
        .errorInvalidArgument, reason: "samples reach over more than \(Self.greatestSpan) bounds of intervals"
      )
    }
  }

  /// Takes in a sample of a source that has got its weight.
  private mutating func average(_ weighed: TemporalWeights<Int>.Weighed?, of source: Int) {
    guard let weighed else { return }
    buckets.update(weighed.place) { [weighting, separates] bucket in
      bucket.update(separates ? source : nil) {
        $0.average(weighting.averaged(weighed.value), weight: weighed.weight)
      }
    }
  }
}
