import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Prints minimum, maximum, average and count, over all samples or by interval.
struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract:
      "Show the minimum, maximum and average (or the sum) of heart rates or another type, with a plot.",
    discussion: .paragraphs(
      """
      The average of a heart rate is weighted by time, as in HealthKit; a cumulative type has a sum instead. Intervals start at midnight of
      the first day. Days (d), weeks (w, from Monday) and months (mo) are calendar units of the local time zone or of --time-zone: a day
      with a clock change has 23 or 25 hours. Intervals without samples are not printed. Without --json there is a plot. If several sources
      have samples, all of them are combined and a notice lists them. Values are in the unit that you chose (hrgate units) or the usual unit
      of your country. With --json they are always in the same unit: heart rates in count/min, active energy in kJ, other types in the
      type's canonical unit. Of a sample that extends beyond --from, --to or an interval, only the part inside counts.

      EXAMPLES
        hrgate stats
        hrgate stats --every 1m --json
        hrgate stats --type activeEnergyBurned --every 1d
        hrgate stats --type restingHeartRate --every 1w --time-zone Europe/Berlin
      """))

  @OptionGroup var selection: FiguresOptions
  @Option(
    help: "The type of the samples, such as restingHeartRate or stepCount (default: heartRate).",
    transform: TypeArgument.read)
  var type = TypeArgument(HKQuantityType(.heartRate))
  @Option(
    help:
      "Compute one result for each interval of this length: a whole number with s, m (minutes), h, d, w or mo (months), such as 1h or 1mo (default: one result for all samples).",
    transform: IntervalArgument.read)
  var every: IntervalArgument?
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each interval.")
  var json = false

  func validate() throws { _ = try type.quantityType() }

  func run() async throws {
    let store = try await store.openForReading()
    let type = try type.quantityType()
    let window = try await selection.window(in: store)
    let options = type.statisticsOptions.union(.separateBySource)
    guard let whole = try await store.statistics(of: type, in: window, options) else {
      StandardError.print("no stored sample matches; list the stored types with: hrgate sources")
      return
    }
    try await write(whole, window, type, store)
    try warnOfMixedSources(whole.statistics.sources ?? [])
    // Print the result before the cache update that speeds up later queries.
    try StandardOutput.flush()
    await store.finishUpkeep()
  }

  /// Warns if the values combine several sources, which may be on different people.
  private func warnOfMixedSources(_ sources: [HKSource]) throws {
    guard sources.count > 1 else { return }
    let names = sources.map { "\($0.name) (\($0.bundleIdentifier))" }.joined(separator: ", ")
    try StandardOutput.flush()
    StandardError.print(
      "these values combine \(sources.count) sources; choose one with --source: \(names)")
  }

  private func write(
    _ whole: WindowStatistics, _ window: FiguresWindow, _ type: HKQuantityType, _ store: HKHealthStore
  ) async throws {
    guard json else { return try await show(whole, window, type, store) }
    let unit = type.displayUnit
    guard let every else {
      return try StandardOutput.write(JSONLine.text(StatisticsView(whole, in: unit)))
    }
    for interval in try await intervals(every, from: whole, of: window, type, store) {
      try StandardOutput.write(
        JSONLine.text(StatisticsView(interval, in: unit, day: day(of: interval, every))))
    }
  }

  /// Prints the plot and the figures, in total or per interval.
  private func show(
    _ whole: WindowStatistics, _ window: FiguresWindow, _ type: HKQuantityType, _ store: HKHealthStore
  ) async throws {
    let length = every ?? IntervalArgument.fitting(whole.end.timeIntervalSince(whole.start), columns: 72)
    let intervals = try await intervals(length, from: whole, of: window, type, store)
    let unit = try await store.shownUnit(of: type)
    for line in StatsPlot.lines(intervals, unit, length, calendar) { try StandardOutput.write(line) }
    let lines =
      every == nil
      ? [StatisticsView(whole, in: unit)]
      : intervals.map { StatisticsView($0, in: unit, day: day(of: $0, length)) }
    for line in lines { try StandardOutput.write(line.text) }
  }

  private var calendar: Calendar { .gregorian(in: selection.days.zone) }

  /// Returns the days of a calendar interval, such as 2026-06-11 or 2026-06-08/2026-06-14; `nil` for other
  /// intervals.
  private func day(of interval: WindowStatistics, _ length: IntervalArgument) -> String? {
    guard length.isOfCalendar else { return nil }
    let (first, last) = (calendar.dayText(of: interval.start), calendar.dayText(of: interval.end - 1))
    return first == last ? first : "\(first)/\(last)"
  }

  private func intervals(
    _ length: IntervalArgument, from whole: WindowStatistics, of window: FiguresWindow,
    _ type: HKQuantityType, _ store: HKHealthStore
  ) async throws -> [WindowStatistics] {
    try await store.statistics(
      of: type, in: window, type.statisticsOptions, from: length.anchor(before: whole.start, in: calendar),
      every: length.components(of: calendar))
  }
}

extension StatisticsView {
  /// The statistics as one line of text.
  var text: String {
    let span = [start, end].map { $0.map(Timestamp.text) ?? "" }.joined(separator: " – ")
    var figures = [day?.replacing("/", with: " – ") ?? span, Counted.text(count, "sample")]
    if let sum { figures.append("sum \(rounded(sum)) \(unit)") }
    if let min, let max, let average {
      figures.append("min \(rounded(min)), average \(rounded(average)), max \(rounded(max)) \(unit)")
    }
    return figures.joined(separator: "  ")
  }

  private func rounded(_ value: Double) -> String {
    "\((ShownValue.of(value, unit) * 10).rounded() / 10)"
  }
}
