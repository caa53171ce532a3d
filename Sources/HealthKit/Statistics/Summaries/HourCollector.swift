import HealthStorage

/// Creates summaries of hours from samples that are read for statistics.
///
/// An hour is summarized if the read includes it and it has enough samples. All of its samples must be
/// completely inside the hour and have the same unit. The last hour with samples is skipped, because more
/// samples will probably be added to it.
struct HourCollector: Sendable {
  /// Maximum number of hours summarized by one read. It limits memory use; later reads summarize further
  /// hours.
  static let mostHours = 20_000

  private let weighting: AverageWeighting
  private let scope: SummaryScope
  /// The indices of sources, by the row ID of a sample's provenance (its source revision and device).
  private let places: [Int64: Int]
  private let indexesOfSources: [Int64: Int]
  /// The row IDs of the sources, by index.
  private let sourceKeys: [Int64]
  private var lastSource: (provenance: Int64, place: Int)?
  /// The instantaneous samples whose weights are not known yet, by source index. Each is stored with the
  /// start of its hour.
  private var weights: TemporalWeights<Int64>
  private var current: CollectedHour?
  /// The previous hour, while weights of its samples may be pending.
  private var closing: CollectedHour?
  /// The latest end of the samples of earlier hours.
  private var reachedOver = Int64.min
  private var done: [HourSummary] = []

  init(style: HKQuantityAggregationStyle, keys: SampledValueKeys, scope: SummaryScope) {
    weighting = AverageWeighting(style: style)
    self.scope = scope
    places = keys.provenances
    indexesOfSources = keys.places
    sourceKeys = keys.places.sorted { $0.value < $1.value }.map(\.key)
    weights = TemporalWeights(sourceCount: keys.sources.count)
  }

  /// Adds a sample, which must not begin before the previous one.
  mutating func add(_ sample: SampledValue) {
    guard !scope.hours.isEmpty, done.count < Self.mostHours, let place = place(of: sample.provenance) else {
      return
    }
    let start = Microseconds.clamped(sample.start)
    let end = max(start, Microseconds.clamped(sample.end))
    turn(to: start)
    let value = weighting.averaged(sample.value)
    let weighs = end > start || !weighting.isTemporal
    let part = SamplePart(
      value: sample.value, start: start, end: end, from: start, to: end, source: place, isEntered: false)
    take(part, value, sample.unit, weighs: weighs)
    guard weighting.isTemporal else { return }
    let waiting = weighs ? nil : current.map { (value, $0.start) }
    average(weights.follow(start, of: place, waiting: waiting), of: place)
  }

  /// Adds a group of instantaneous samples.
  /// - Parameters:
  ///   - instants: Samples that do not begin before the previous sample. Parts of one source must not
  ///     overlap.
  ///   - figures: The statistics of each part of the group.
  mutating func add(_ instants: PackedInstants, _ figures: [InstantFigures]) {
    guard !scope.hours.isEmpty, done.count < Self.mostHours else { return }
    turn(to: instants.starts.lowerBound)
    for (part, figures) in zip(instants.parts, figures) {
      guard let place = place(of: part.provenance) else { continue }
      current?.take(figures, part.unit, place)
      guard weighting.isTemporal, let current else { continue }
      for weighed in weights.follow(figures, of: place, in: current.start) { average(weighed, of: place) }
    }
  }

  /// Skips an hour that already has a summary. Computes the weights of preceding samples that depend on its
  /// first sample.
  mutating func pass(_ hour: HourSummary) {
    guard done.count < Self.mostHours else { return }
    turn(to: hour.start)
    // Do not summarize the hour again.
    current = nil
    for source in hour.bySource {
      guard let place = indexesOfSources[source.source] else { continue }
      average(weights.pass(from: source.figures.first, to: source.figures.last, of: place), of: place)
    }
    finishClosing()
  }

  /// Returns the summaries in chronological order.
  consuming func finish() -> [HourSummary] {
    finishClosing()
    return done
  }

  private mutating func place(of provenance: Int64) -> Int? {
    if let lastSource, lastSource.provenance == provenance { return lastSource.place }
    guard let place = places[provenance] else { return nil }
    lastSource = (provenance, place)
    return place
  }

  /// Makes the hour that contains a time the current one.
  private mutating func turn(to time: Int64) {
    if let closing, time >= closing.end + HourSummary.reach { finishClosing() }
    if let current, time < current.end { return }
    if let ended = current {
      finishClosing()
      closing = ended
      current = nil
      if time >= ended.end + HourSummary.reach { finishClosing() }
    }
    let start = HourSummary.start(of: time)
    current = CollectedHour(start: start, isWhole: scope.hours.contains(start) && start >= reachedOver)
  }

  private mutating func take(_ part: SamplePart, _ value: Double, _ unit: Int64, weighs: Bool) {
    guard current != nil else { return }
    reachedOver = max(reachedOver, part.end)
    current?.take(part, value, unit, weight: weighs ? weighting.weight(of: part) : nil)
  }

  /// Adds a sample whose weight is now known to the average of its hour.
  private mutating func average(_ weighed: TemporalWeights<Int64>.Weighed?, of place: Int) {
    guard let weighed else { return }
    if current?.start == weighed.place {
      current?.average(weighed.value, weight: weighed.weight, place)
    } else if closing?.start == weighed.place {
      closing?.average(weighed.value, weight: weighed.weight, place)
    }
  }

  /// Finishes the previous hour. Samples whose weights are still unknown are weighted as before a gap.
  private mutating func finishClosing() {
    guard let hour = closing else { return }
    for source in hour.bySource where weights.waits(source.place, in: hour.start) {
      average(weights.finish(source.place), of: source.place)
    }
    if let summary = closing?.summary(sourceKeys) { done.append(summary) }
    closing = nil
  }
}
