import HealthStorage

/// The statistics of an hour whose samples are being read. The stored summary of the hour is created from
/// these statistics.
struct CollectedHour: Sendable {
  /// Minimum number of samples per source for which a summary is stored. With fewer, reading the samples is
  /// as fast as reading the summary. A watch stores about thirty heart rates in an hour.
  static let fewestSamples = 10
  /// Maximum number of sources in a summary.
  static let mostSources = 16

  struct OfSource: Sendable {
    let place: Int
    var figures = StatisticsAccumulator()
    /// The start of the last sample.
    var last: Int64
  }

  /// The start of the hour in microseconds since 1970.
  let start: Int64
  private(set) var bySource: [OfSource] = []
  private var unit: Int64?
  /// Whether the hour can still be summarized. It cannot, for example, if a sample extends beyond it.
  private var isWhole: Bool
  /// The statistics of all sources. Nil while there is only one source, whose statistics are the same.
  private var all: StatisticsAccumulator?

  init(start: Int64, isWhole: Bool) {
    self.start = start
    self.isWhole = isWhole
  }

  var end: Int64 { start + HourSummary.length }

  /// Adds a part of a sample.
  /// - Parameter weight: The weight of the value in the average; nil if it is not known yet.
  mutating func take(_ part: SamplePart, _ value: Double, _ unit: Int64, weight: Double?) {
    if part.end > end || unit != self.unit ?? unit { isWhole = false }
    self.unit = unit
    guard isWhole, let index = index(of: part.source) else { return }
    bySource[index].last = part.start
    bySource[index].figures.add(part)
    all?.add(part)
    if let weight { average(value, weight, at: index) }
  }

  /// Adds instantaneous samples of one source.
  /// - Parameter figures: The statistics of samples that are all in the hour.
  mutating func take(_ figures: InstantFigures, _ unit: Int64, _ place: Int) {
    if unit != self.unit ?? unit { isWhole = false }
    self.unit = unit
    guard isWhole, let index = index(of: place) else { return }
    bySource[index].last = figures.last
    bySource[index].figures.add(figures)
    all?.add(figures)
  }

  /// Adds the weight of a sample that has already been added.
  mutating func average(_ value: Double, weight: Double, _ place: Int) {
    guard isWhole, let index = index(of: place) else { return }
    average(value, weight, at: index)
  }

  private mutating func average(_ value: Double, _ weight: Double, at index: Int) {
    bySource[index].figures.average(value, weight: weight)
    all?.average(value, weight: weight)
  }

  private mutating func index(of place: Int) -> Int? {
    if let last = bySource.indices.last, bySource[last].place == place { return last }
    if let known = bySource.firstIndex(where: { $0.place == place }) { return known }
    isWhole = bySource.count < Self.mostSources
    guard isWhole else { return nil }
    if all == nil { all = bySource.first?.figures }
    bySource.append(OfSource(place: place, last: start))
    return bySource.count - 1
  }

  /// Returns the summary, or nil if the hour cannot be summarized or has too few samples.
  /// - Parameter sourceKeys: The row IDs of the sources, by index.
  func summary(_ sourceKeys: [Int64]) -> HourSummary? {
    guard isWhole, let unit, let first = bySource.first,
      let all = HourSummary.Figures(all ?? first.figures, last: bySource.map(\.last).max() ?? start),
      all.count >= Self.fewestSamples * bySource.count
    else { return nil }
    var summary = HourSummary(start: start, unit: unit, all: all, bySource: [])
    for source in bySource {
      guard let figures = HourSummary.Figures(source.figures, last: source.last) else { return nil }
      summary.bySource.append(.init(source: sourceKeys[source.place], figures: figures))
    }
    return summary
  }
}
