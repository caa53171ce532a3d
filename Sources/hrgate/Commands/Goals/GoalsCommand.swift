import ArgumentParser
import HealthKit
import HealthSystem

/// Shows and edits the user's daily goals.
struct GoalsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "goals",
    abstract: "Print or set the daily goals that activity summaries show.",
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
