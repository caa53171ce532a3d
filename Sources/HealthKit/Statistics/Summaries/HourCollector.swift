import HealthStorage

/// Makes the summaries of hours from samples that are read for statistics anyway.
///
/// An hour is summarised if it lies in the scope of the read, no sample reaches over its bounds, all of its samples are in one
/// unit, and there are so many of them that a summary is worth keeping. The last hour with samples is left: it is likely
/// still growing.
struct HourCollector: Sendable {
  /// What one read collects; the next one goes on. Bounds the memory.
  static let mostHours = 20_000

  /// What the weight of an instantaneous sample is to be known from, as in `StatisticsFold`.
  private struct Rhythm: Sendable {
    var previous: Int64?
    var last: Int64?
    var waiting: (value: Double, hour: Int64)?
  }

  private let weighting: AverageWeighting
  private let scope: SummaryScope
  /// From a sample's provenance, and from a source's key, to the place of the source.
  private let places: [Int64: Int]
  private let placesOfSources: [Int64: Int]
  /// By place.
  private let sourceKeys: [Int64]
  private var lastSource: (provenance: Int64, place: Int)?
  private var rhythms: [Rhythm]
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
    rhythms = Array(repeating: Rhythm(), count: keys.sources.count)
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
    settle(place, before: start)
    rhythms[place].previous = rhythms[place].last
    rhythms[place].last = start
    if !weighs, let current { rhythms[place].waiting = (value, current.start) }
  }

  /// Takes note of an hour of which there is a summary already.
  mutating func pass(_ hour: HourSummary) {
    guard done.count < Self.mostHours else { return }
    turn(to: hour.start)
    // It is not collected again.
    current = nil
    for source in hour.bySource {
      guard let place = placesOfSources[source.source] else { continue }
      settle(place, before: source.figures.first)
      rhythms[place] = Rhythm(previous: nil, last: source.figures.last, waiting: nil)
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

  /// Gives the source's waiting sample its weight, now that the next one is known, or that none is near.
  private mutating func settle(_ place: Int, before next: Int64?) {
    guard let waiting = rhythms[place].waiting, let start = rhythms[place].last else { return }
    rhythms[place].waiting = nil
    let hold = AverageWeighting.hold(of: start, after: rhythms[place].previous, before: next)
    if current?.start == waiting.hour {
      current?.average(waiting.value, weight: Double(hold), place)
    } else if closing?.start == waiting.hour {
      closing?.average(waiting.value, weight: Double(hold), place)
    }
  }

  /// The samples of the hour that still wait have no near neighbour after them.
  private mutating func finishClosing() {
    guard let hour = closing else { return }
    for source in hour.bySource where rhythms[source.place].waiting?.hour == hour.start {
      settle(source.place, before: nil)
    }
    if let summary = closing?.summary(sourceKeys) { done.append(summary) }
    closing = nil
  }
}
