import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem

/// Prints least, greatest, average and count, over all or by interval.
struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print minimum, maximum, average and count.",
    discussion: .paragraphs(
      """
      The average of a heart rate is weighted by time, as HealthKit's is; a cumulative type has a sum instead. Intervals are counted
      from midnight UTC of the first day, and one without samples is not printed. Without --json there is a plot. Where several sources have such samples,
      the figures are of all of them together, and a notice says which they are. Figures are in the unit that you have chosen
      (hrgate units), else in what is usual in your country; with --json always in the same: heart rates in count/min, active energy
      in kJ, all else in the type's canonical unit. Of a sample that reaches over --from, --to or the bound of an interval, the part
      inside counts.

      EXAMPLES
        hrgate stats
        hrgate stats --every 1m --json
        hrgate stats --type activeEnergyBurned --every 1d
      """))

  @OptionGroup var selection: FiguresOptions
  @Option(help: "The quantity type (default: heartRate).", transform: TypeArgument.read)
  var type = TypeArgument(HKQuantityType(.heartRate))
  @Option(
    help: "The length of an interval: 30s, 1m, 1h, 1d … (default: all in one)", transform: SpanArgument.read)
  var every: SpanArgument?
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
      StandardError.tell("there are no such samples")
      return
    }
    try await write(whole, window, type, store)
    try tellWhatIsMixed(whole.statistics.sources ?? [])
    // Whoever asked need not wait for what makes the next question quick.
    try StandardOutput.flush()
    await store.finishUpkeep()
  }

  /// Figures of two people's monitors are figures of nobody.
  private func tellWhatIsMixed(_ sources: [HKSource]) throws {
    guard sources.count > 1 else { return }
    let names = sources.map { "\($0.name) (\($0.bundleIdentifier))" }.joined(separator: ", ")
    try StandardOutput.flush()
    StandardError.tell(
      "these are figures of \(sources.count) sources together, --source chooses one: \(names)")
  }

  private func write(
    _ whole: WindowStatistics, _ window: FiguresWindow, _ type: HKQuantityType, _ store: HKHealthStore
  ) async throws {
    guard json else { return try await show(whole, window, type, store) }
    let unit = type.displayUnit
    guard let every else {
      return try StandardOutput.write(JSONLine.text(StatsLine(whole, type, in: unit)))
    }
    for interval in try await intervals(every, from: whole, of: window, type, store) {
      try StandardOutput.write(JSONLine.text(StatsLine(interval, type, in: unit)))
    }
  }

  /// A plot, and the figures: of the whole, or of each interval where the user asked for them.
  private func show(
    _ whole: WindowStatistics, _ window: FiguresWindow, _ type: HKQuantityType, _ store: HKHealthStore
  ) async throws {
    let span = every ?? SpanArgument.fitting(whole.end.timeIntervalSince(whole.start), columns: 72)
    let intervals = try await intervals(span, from: whole, of: window, type, store)
    let unit = try await store.shownUnit(of: type)
    for line in StatsPlot.lines(intervals, unit, span) { try StandardOutput.write(line) }
    let lines =
      every == nil
      ? [StatsLine(whole, type, in: unit)] : intervals.map { StatsLine($0, type, in: unit) }
    for line in lines { try StandardOutput.write(line.text) }
  }

  private func intervals(
    _ span: SpanArgument, from whole: WindowStatistics, of window: FiguresWindow, _ type: HKQuantityType,
    _ store: HKHealthStore
  ) async throws -> [WindowStatistics] {
    let start = whole.start.timeIntervalSince1970
    let midnight = Date(timeIntervalSince1970: (start / 86_400).rounded(.down) * 86_400)
    return try await store.statistics(
      of: type, in: window, type.statisticsOptions, from: midnight, every: span.components)
  }
}
