/// Figures of a type's samples in one hour (UTC). Used only if no sample crosses the hour's bounds.
package struct HourSummary: Hashable, Sendable {
  /// Microseconds.
  package static let length: Int64 = 3_600_000_000
  /// The distance at which neighboring samples affect a sample's figures, in microseconds. Changes farther
  /// than this from an hour do not affect it.
  package static let reach: Int64 = 5_000_000

  /// Figures of all sources or of one. Times are microseconds since 1970, values are in the unit of the hour.
  package struct Figures: Hashable, Sendable {
    package var count: Int
    /// The starts of the first and the last sample.
    package var first: Int64
    package var last: Int64
    package var least: Double
    package var greatest: Double
    package var weightedSum: Double
    package var weight: Double
    /// The time covered by samples, in microseconds. Overlapping time counts once.
    package var covered: Int64
    /// The sample that ends last.
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
  /// Empty or complete; with a single source, its figures equal `all`.
  package var bySource: [SourceFigures]

  package init(start: Int64, unit: Int64, all: Figures, bySource: [SourceFigures]) {
    self.start = start
    self.unit = unit
    self.all = all
    self.bySource = bySource
  }

  package var end: Int64 { start + Self.length }

  /// Returns the start of the hour that contains a time.
  package static func start(of time: Int64) -> Int64 {
    let remainder = time % length
    return time - (remainder < 0 ? remainder + length : remainder)
  }

  /// Like `start(of:)`, for a time from a row, which may be damaged and out of range; then the result is
  /// meaningless but safe.
  static func start(ofHourOf time: Int64) -> Int64 { start(of: min(max(time, 0), .max / 2)) }

  /// Returns the last microsecond of that hour.
  static func lastMoment(ofHourOf time: Int64) -> Int64 { start(ofHourOf: time) + length - 1 }
}
