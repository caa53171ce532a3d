import HealthStorage

/// The figures of an hour while its samples come.
struct CollectedHour: Sendable {
  /// An hour is kept if it has this many samples a source: reading a summary costs as much as reading a few
  /// samples.
  static let fewestSamples = 60
  /// Hours of more sources are not kept.
  static let mostSources = 16

  struct OfSource: Sendable {
    let place: Int
    var figures = StatisticsAccumulator()
    /// The last start of a sample.
    var last: Int64
  }

  /// Microseconds.
  let start: Int64
  private(set) var bySource: [OfSource] = []
  private var unit: Int64?
  /// Whether it can be summarised as yet.
  private var isWhole: Bool
  /// Kept up once there is a second source; one alone has the figures of all.
  private var all: StatisticsAccumulator?

  init(start: Int64, isWhole: Bool) {
    self.start = start
    self.isWhole = isWhole
  }

  var end: Int64 { start + HourSummary.length }

  /// - Parameter weight: of the value as it is averaged; nil while it is not known.
  mutating func take(_ part: SamplePart, _ value: Double, _ unit: Int64, weight: Double?) {
    if part.end > end || unit != self.unit ?? unit { isWhole = false }
    self.unit = unit
    guard isWhole, let index = index(of: part.source) else { return }
    bySource[index].last = part.start
    bySource[index].figures.add(part)
    all?.add(part)
    if let weight { average(value, weight, at: index) }
  }

  /// - Parameter figures: of what lies within the hour.
  mutating func take(_ figures: InstantFigures, _ unit: Int64, _ place: Int) {
    if unit != self.unit ?? unit { isWhole = false }
    self.unit = unit
    guard isWhole, let index = index(of: place) else { return }
    bySource[index].last = figures.last
    bySource[index].figures.add(figures)
    all?.add(figures)
  }

  /// Takes in the weight of a sample that has come before.
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

  /// nil if it cannot be summarised or need not be.
  /// - Parameter sourceKeys: by place.
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
