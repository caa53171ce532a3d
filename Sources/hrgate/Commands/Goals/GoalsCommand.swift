import ArgumentParser
import HealthDataSync
import HealthKit
import HealthSystem

/// Shows and edits the user's daily goals.
struct GoalsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "goals",
    abstract: "Print or set your daily goals for energy, exercise and standing.",
    discussion: .paragraphs(
      """
      A goal applies from its first day until it is changed or cleared. Earlier days keep the goal they had.

      EXAMPLES
        hrgate goals
        hrgate goals set activeEnergyBurned 500
        hrgate goals set appleExerciseTime 0.5 --unit hr --from 2026-01-01
        hrgate goals clear appleStandHours
      """),
    subcommands: [GoalsListCommand.self, GoalsSetCommand.self, GoalsClearCommand.self],
    defaultSubcommand: GoalsListCommand.self)
}

extension ActivityGoal: ExpressibleByArgument {}

/// Prints the goals.
struct GoalsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print each daily goal, and the day from which it applies.")

  /// The JSON object that `--json` prints. The names are stable.
  private struct Record: Encodable {
    var goal: String
    var from: String
    /// Absent if the goal was cleared on that day.
    var value: Double?
    var unit: String
  }

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each goal and the day from which it applies.")
  var json = false

  func run() async throws {
    for setting in try await store.openSystemForReading().activityGoals() {
      let unit = setting.goal.unit
      let record = Record(
        goal: setting.goal.rawValue, from: DayArgument(setting.day).text,
        value: setting.quantity?.doubleValue(for: unit), unit: unit.unitString)
      let value = record.value.map { "\($0.formatted(.number.grouping(.never))) \(record.unit)" } ?? "none"
      try StandardOutput.write(
        json ? JSONLine.text(record) : "\(record.goal)  \(value)  from \(record.from)")
    }
  }
}
