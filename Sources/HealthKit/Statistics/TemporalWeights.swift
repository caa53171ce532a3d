/// Finds the weights of instantaneous samples in an average over time, by `AverageWeighting.hold`.
///
/// Such a sample's weight is known only when the next one of its source has come, or when none is near. Until
/// then the value waits here, with the place where its weight will count. Samples come in order of their
/// start.
struct TemporalWeights<Place: Equatable & Sendable>: Sendable {
  /// A value whose weight is now known.
  struct Weighed: Equatable {
    var value: Double
    var weight: Double
    var place: Place
  }

  private struct Rhythm: Sendable {
    /// When the last sample but one began, and the last.
    var previous: Int64?
    var last: Int64?
    /// The value of the last sample, if it is instantaneous.
    var waiting: (value: Double, place: Place)?
  }

  private var rhythms: [Rhythm]

  init(sourceCount: Int) {
    rhythms = Array(repeating: Rhythm(), count: sourceCount)
  }

  /// A sample has come.
  /// - Parameter waiting: the value of an instantaneous one; nil for one that has a duration for its weight.
  /// - Returns: the sample before it, if that waited.
  mutating func follow(
    _ start: Int64, of source: Int, waiting: (value: Double, place: Place)?
  ) -> Weighed? {
    let weighed = settle(source, before: start)
    rhythms[source].previous = rhythms[source].last
    rhythms[source].last = start
    rhythms[source].waiting = waiting
    return weighed
  }

  /// Samples have come of which all but the last have their weights, and but the first where that is lone.
  /// - Returns: the sample before them, if that waited, and the lone one.
  mutating func follow(_ figures: InstantFigures, of source: Int, in place: Place) -> [Weighed] {
    let before = settle(source, before: figures.first)
    let lone = figures.lone.map { lone in
      let hold = AverageWeighting.hold(of: figures.first, after: rhythms[source].last, before: lone.next)
      return Weighed(value: lone.value, weight: Double(hold), place: place)
    }
    rhythms[source] = Rhythm(
      previous: figures.beforeLast ?? rhythms[source].last, last: figures.last,
      waiting: (figures.latest, place))
    return [before, lone].compactMap(\.self)
  }

  /// Samples have come that have their weights already.
  /// - Returns: the sample before them, if that waited.
  mutating func pass(from first: Int64, to last: Int64, of source: Int) -> Weighed? {
    let weighed = settle(source, before: first)
    rhythms[source] = Rhythm(previous: nil, last: last, waiting: nil)
    return weighed
  }

  /// Whether the last sample of a source waits for its weight in this place.
  func waits(_ source: Int, in place: Place) -> Bool { rhythms[source].waiting?.place == place }

  /// No sample comes, or none that is near.
  /// - Returns: the last sample, if that waited.
  mutating func finish(_ source: Int) -> Weighed? { settle(source, before: nil) }

  private mutating func settle(_ source: Int, before next: Int64?) -> Weighed? {
    guard let waiting = rhythms[source].waiting, let start = rhythms[source].last else { return nil }
    rhythms[source].waiting = nil
    let hold = AverageWeighting.hold(of: start, after: rhythms[source].previous, before: next)
    return Weighed(value: waiting.value, weight: Double(hold), place: waiting.place)
  }
}
