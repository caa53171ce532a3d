/// Cached statistics of the samples of one type in one hour (UTC). They are used only if no sample extends
/// beyond the hour. Saving or deleting samples in or near the hour deletes them (``SummaryInvalidation``).
package struct HourSummary: Hashable, Sendable {
  /// The length of an hour in microseconds.
  package static let length: Int64 = 3_600_000_000
  /// Maximum distance in microseconds at which a neighboring sample affects the weight of a sample in an
  /// average. Changes farther away from an hour do not affect its statistics.
  package static let reach: Int64 = 5_000_000

  /// Statistics of one source, or of all sources together. Times are microseconds since 1970. Values are in
  /// ``HourSummary/unit``.
  package struct Figures: Hashable, Sendable {
    package var count: Int
    /// The starts of the first and the last sample.
    package var first: Int64
    package var last: Int64
    package var least: Double
    package var greatest: Double
    package var weightedSum: Double
    package var weight: Double
    /// The total time of the samples, in microseconds. Overlapping time counts once.
    package var covered: Int64
    /// The value, start and end of the sample that ends last.
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
    /// The source: a key of `SampledValueKeys.places`.
    package var source: Int64
    package var figures: Figures

    package init(source: Int64, figures: Figures) {
      self.source = source
      self.figures = figures
    }
  }

  /// The start of the hour in microseconds since 1970, a multiple of `length`.
  package var start: Int64
  /// The unit: a key of `SampledValueKeys.units`.
  package var unit: Int64
  package var all: Figures
  /// The statistics of each source; empty if they are not known. If there is only one source, its statistics
  /// are equal to `all`.
  package var bySource: [SourceFigures]

  package init(start: Int64, unit: Int64, all: Figures, bySource: [SourceFigures]) {
    self.start = start
    self.unit = unit
    self.all = all
    self.bySource = bySource
  }

  package var end: Int64 { start + Self.length }

  /// Returns the start of the hour that contains a time, in microseconds since 1970.
  package static func start(of time: Int64) -> Int64 {
    let remainder = time % length
    return time - (remainder < 0 ? remainder + length : remainder)
  }

  /// Like `start(of:)`, but for a time from a row, which may be damaged. The result is meaningless if the
  /// time is out of range, but nothing overflows.
  static func start(ofHourOf time: Int64) -> Int64 { start(of: min(max(time, 0), .max / 2)) }

  /// Returns the last microsecond of the hour that contains a time.
  static func lastMoment(ofHourOf time: Int64) -> Int64 { start(ofHourOf: time) + length - 1 }
}
