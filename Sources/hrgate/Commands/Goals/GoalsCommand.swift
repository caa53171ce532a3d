import ArgumentParser
import HealthKit
import HealthSystem

/// What the user wants to do each day.
struct GoalsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "goals",
    abstract: "Set the goals that activity summaries show.",
    discussion: """
      A goal holds from a day on, until the next that says otherwise. Days before it keep what they had.

      EXAMPLES
        hrgate goals
        hrgate goals set activeEnergyBurned 500
        hrgate goals set appleExerciseTime 0.5 --unit hr --from 2026-01-01
        hrgate goals clear appleStandHours
      """,
    subcommands: [GoalsListCommand.self, GoalsSetCommand.self, GoalsClearCommand.self],
    defaultSubcommand: GoalsListCommand.self)
}

extension ActivityGoal: ExpressibleByArgument {}
