import HealthStorage

/// Makes the summaries of hours from samples that are read for statistics anyway.
///
/// An hour is summarised if it lies in the scope of the read, no sample reaches over its bounds, all of its
/// samples are in one unit, and there are so many of them that a summary is worth keeping. The last hour with
/// samples is left: it is likely still growing.
struct HourCollector: Sendable {
  /// What one read collects; the next one goes on. Bounds the memory.
  static let mostHours = 20_000

  private let weighting: AverageWeighting
  private let scope: SummaryScope
  /// From a sample's provenance, and from a source's key, to the place of the source.
  private let places: [Int64: Int]
  private let placesOfSources: [Int64: Int]
  /// By place.
  private let sourceKeys: [Int64]
  private var lastSource: (provenance: Int64, place: Int)?
  /// By place. A weight counts in the hour that begins at a time.
  private var weights: TemporalWeights<Int64>
  private var current: CollectedHour?
  /// The one before, of which samples may wait for their weight.
  private var closing: CollectedHour?
  /// Until when samples of earlier hours reach.
  private var reachedOver = Int64.min
  private var done: [HourSummary] = []

  init(style: HKQuantityAggregationStyle, keys: SampledValueKeys, scope: SummaryScope) {
    weighting = AverageWeighting(style: style)
    self.scope = scope
    places = keys.provenances
    placesOfSources = keys.places
    sourceKeys = keys.places.sorted { $0.value < $1.value }.map(\.key)
    weights = TemporalWeights(sourceCount: keys.sources.count)
  }

  /// - Parameter sample: one that begins no earlier than the one before.
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

  /// - Parameters:
  ///   - instants: that begin no earlier than the sample before, and of which one source's parts do not
  ///     overlap.
  ///   - figures: of each part.
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

  /// Takes note of an hour of which there is a summary already.
  mutating func pass(_ hour: HourSummary) {
    guard done.count < Self.mostHours else { return }
    turn(to: hour.start)
    // It is not collected again.
    current = nil
    for source in hour.bySource {
      guard let place = placesOfSources[source.source] else { continue }
      average(weights.pass(from: source.figures.first, to: source.figures.last, of: place), of: place)
    }
    finishClosing()
  }

  /// The summaries in order of time.
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

  /// Makes the hour that holds a time the current one.
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

  /// Takes in a sample of a source that has got its weight.
  private mutating func average(_ weighed: TemporalWeights<Int64>.Weighed?, of place: Int) {
    guard let weighed else { return }
    if current?.start == weighed.place {
      current?.average(weighed.value, weight: weighed.weight, place)
    } else if closing?.start == weighed.place {
      closing?.average(weighed.value, weight: weighed.weight, place)
    }
  }

  /// The samples of the hour that still wait have no near neighbour after them.
  private mutating func finishClosing() {
    guard let hour = closing else { return }
    for source in hour.bySource where weights.waits(source.place, in: hour.start) {
      average(weights.finish(source.place), of: source.place)
    }
    if let summary = closing?.summary(sourceKeys) { done.append(summary) }
    closing = nil
  }
}
