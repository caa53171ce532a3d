/// The figures of a type's samples in one hour of UTC. None of the samples crosses a bound of the hour.
package struct HourSummary: Hashable, Sendable {
  /// Microseconds.
  package static let length: Int64 = 3_600_000_000
  /// How far a sample's figures depend on its neighbours, in microseconds: what is saved or deleted farther
  /// than this from an hour changes nothing in it.
  package static let reach: Int64 = 5_000_000

  /// Of all samples or of one source's. Times in microseconds since 1970, values in the unit of the hour.
  package struct Figures: Hashable, Sendable {
    package var count: Int
    /// The first and the last start of a sample.
    package var first: Int64
    package var last: Int64
    package var least: Double
    package var greatest: Double
    package var weightedSum: Double
    package var weight: Double
    /// How much time the samples cover; where they overlap it counts once.
    package var covered: Int64
    /// The sample that ended last.
    package var latest: Double
    package var latestStart: Int64
    package var latestEnd: Int64

    package init(
      count: Int, first: Int64, last: Int64, least: Double, greatest: Double, weightedSum: Double,
      weight: Double, covered: Int64, latest: Double, latestStart: Int64, latestEnd: Int64
    ) {
      self.count = count
      self.first = first
      self.last = last
      self.least = least
      self.greatest = greatest
      self.weightedSum = weightedSum
      self.weight = weight
      self.covered = covered
      self.latest = latest
      self.latestStart = latestStart
      self.latestEnd = latestEnd
    }
  }

  package struct SourceFigures: Hashable, Sendable {
    /// A key of `SampledValueKeys.places`.
    package var source: Int64
    package var figures: Figures

    package init(source: Int64, figures: Figures) {
      self.source = source
      self.figures = figures
    }
  }

  /// Microseconds since 1970, a multiple of `length`.
  package var start: Int64
  /// A key of `SampledValueKeys.units`.
  package var unit: Int64
  package var all: Figures
  /// A single source's figures are those of all.
  package var bySource: [SourceFigures]

  package init(start: Int64, unit: Int64, all: Figures, bySource: [SourceFigures]) {
    self.start = start
    self.unit = unit
    self.all = all
    self.bySource = bySource
  }

  package var end: Int64 { start + Self.length }

  /// The start of the hour that holds a time.
  package static func start(of time: Int64) -> Int64 {
    let remainder = time % length
    return time - (remainder < 0 ? remainder + length : remainder)
  }

  /// The same of what a row says, which may be damaged and no time after 1970: then of any hour.
  static func start(ofHourOf time: Int64) -> Int64 { start(of: min(max(time, 0), .max / 2)) }

  /// The last moment of that hour.
  static func lastMoment(ofHourOf time: Int64) -> Int64 { start(ofHourOf: time) + length - 1 }
}
