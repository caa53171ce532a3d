import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// Prints the heart-rate recovery in the first minute after exercise.
struct RecoveryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery",
    abstract: "Show how far the heart rate fell in the minute after exercise.",
    discussion: .paragraphs(
      """
      Computed from the stored heart rates, separately for each source (app or device): the highest rate from 30 s before the end of the
      exercise to 10 s after it, minus the mean from 55 to 65 s after the end. Give one or several end times, or use the ends of stored
      workouts, which --from and --to select. The value is only meaningful if you stopped abruptly and then stood still.

      EXAMPLES
        hrgate recovery 2026-11-21T06:40:00Z
        hrgate recovery --from 2026-11-01 --json
        hrgate recovery --explain
      """))

  @Argument(
    help: ArgumentHelp(
      "Time at which the exercise ended, such as 2026-11-21T06:40:00Z; may be repeated (default: the ends of stored workouts).",
      valueName: "end"),
    transform: TimeArgument.read)
  var ends: [TimeArgument] = []
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each end of exercise and each source of heart rates.")
  var json = false
  @Flag(help: "Print the definition of each measure and exit.")
  var explain = false

  func validate() throws {
    guard ends.isEmpty || selection.from == nil && selection.to == nil else {
      throw ValidationError("--from and --to select workouts and cannot be used with an end time.")
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
      StandardError.print(
        "there is no matching workout; give the end time of the exercise, as in "
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
    let found = try await RecoveryView.bySource(in: store, after: end, from: source)
    for (source, recovery) in found { try write(recovery, source) }
    if found.isEmpty { try write(RecoveryView(HeartRateSeries([]), nil, end: end), nil) }
  }

  private func write(_ line: RecoveryView, _ source: HKSource?) throws {
    try StandardOutput.write(json ? JSONLine.text(line) : line.text(source))
  }
}
