import ArgumentParser
import HealthKit
import HealthSystem

/// Sets a goal.
struct GoalsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a daily goal, such as 500 kcal of active energy.")

  @Argument(help: "The goal to set, such as activeEnergyBurned.")
  var goal: ActivityGoal
  @Argument(help: "The amount to reach each day: a number such as 500, in the unit given with --unit.")
  var value: Double
  @Option(
    help: "The unit of the amount (default: kcal for energy, min for times, count for stand hours).",
    transform: UnitArgument.read)
  var unit: UnitArgument?
  @Option(
    help: ArgumentHelp(
      "The first day with the new goal, such as 2026-01-01 (default: today).", valueName: "day"),
    transform: DayArgument.read)
  var from: DayArgument?
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard value.isFinite, value >= 0 else { throw ValidationError("A goal cannot be negative.") }
    guard quantity.is(compatibleWith: goal.unit) else {
      throw ValidationError("\(goal.rawValue) cannot be expressed in \(quantity.unit).")
    }
  }

  private var quantity: HKQuantity { HKQuantity(unit: unit?.unit ?? goal.unit, doubleValue: value) }

  func run() async throws {
    try await store.openSystem().setActivityGoal(quantity, for: goal, from: from.day)
  }
}

/// Clears a goal.
struct GoalsClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Remove a daily goal from today on, or from another day on (--from).")

  @Argument(help: "The goal to remove, such as activeEnergyBurned.")
  var goal: ActivityGoal
  @Option(
    help: ArgumentHelp(
      "The first day without the goal, such as 2026-01-01 (default: today).", valueName: "day"),
    transform: DayArgument.read)
  var from: DayArgument?
  @OptionGroup var store: StoreOptions

  func run() async throws {
    try await store.openExistingSystem().setActivityGoal(nil, for: goal, from: from.day)
  }
}

extension Optional<DayArgument> {
  fileprivate var day: ActivityDay {
    get throws {
      guard let argument = self ?? .today else {
        throw CommandError("today's date is unknown; give it with --from, such as --from 2026-01-01")
      }
      return argument.day
    }
  }
}
