import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// Prints how far the heart rate fell in the first minute after exercise.
struct RecoveryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery",
    abstract: "Print how far the heart rate fell in the minute after an exercise ended.",
    discussion: .paragraphs(
      """
      From the stored heart rates, of each source by itself: the highest from 30 s before the end to 10 s after it, less the mean from 55 to 65 s
      after. The end is yours to name, one or several; else it is that of each stored workout, --from and --to choose which. The figure means
      something only where the exercise ended at once: stand still at the end, and mark that instant.

      EXAMPLES
        hrgate recovery 2026-11-21T06:40:00Z
        hrgate recovery --from 2026-11-01 --json
        hrgate recovery --explain
      """))

  @Argument(
    help: ArgumentHelp("When the exercise ended (default: the ends of workouts).", valueName: "end"),
    transform: TimeArgument.read)
  var ends: [TimeArgument] = []
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each end and source.")
  var json = false
  @Flag(help: "Print what each figure is, and nothing else.")
  var explain = false

  /// Seconds of heart rates to read before and after the end of exercise: those the definition needs, and
  /// earlier ones that are still valid.
  private static let span = (before: 30 + HeartRateSeries.usualHold, after: 65.0)

  func validate() throws {
    guard ends.isEmpty || selection.from == nil && selection.to == nil else {
      throw ValidationError("--from and --to choose workouts, and an end that is named needs none.")
    }
  }

  func run() async throws {
    guard !explain else {
      for line in RecoveryDefinitions.lines { try StandardOutput.write(line) }
      return
    }
    let store = try await store.openForReading()
    let ends = ends.isEmpty ? try await workoutEnds(in: store) : ends.map { $0.date(in: selection.days.zone) }
    guard !ends.isEmpty else {
      StandardError.tell(
        "there is no such workout whose end could be taken; name the end of the exercise, as in "
          + "hrgate recovery 2026-11-21T06:40:00Z")
      return
    }
    let source = try await selection.sourcePredicate(in: store)
    for end in ends { try await write(end, store, source) }
  }

  private func workoutEnds(in store: HKHealthStore) async throws -> [Date] {
    let workouts = HKSamplePredicate<HKWorkout>.workout(
      HKQuery.predicateForSamples(
        withStart: selection.start, end: selection.end, options: .strictEndDate))
    return try await store.reduceSamples(into: [Date](), [workouts]) { $0.append($1.endDate) }.sorted()
  }

  private func write(_ end: Date, _ store: HKHealthStore, _ source: NSPredicate?) async throws {
    let near = HKQuery.predicateForSamples(
      withStart: end.addingTimeInterval(-Self.span.before), end: end.addingTimeInterval(Self.span.after),
      options: [])
    let sources = try await StoredHeartRates.bySource(
      in: store,
      matching: NSCompoundPredicate(andPredicateWithSubpredicates: [near] + [source].compactMap(\.self)))
    for (source, series) in sources {
      try write(RecoveryLine(series, source, end: end), source)
    }
    if sources.isEmpty { try write(RecoveryLine(HeartRateSeries([]), nil, end: end), nil) }
  }

  private func write(_ line: RecoveryLine, _ source: HKSource?) throws {
    try StandardOutput.write(json ? JSONLine.text(line) : line.text(source))
  }
}
