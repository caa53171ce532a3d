import ArgumentParser
import HealthKit
import HealthSystem

/// Sets a goal.
struct GoalsSetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a daily goal.")

  @Argument(help: "The goal.")
  var goal: ActivityGoal
  @Argument(help: "The amount for each day.")
  var value: Double
  @Option(
    help: "The unit (default: kcal for energy, min for times, count for stand hours).",
    transform: UnitArgument.read)
  var unit: UnitArgument?
  @Option(
    help: ArgumentHelp("The first day of the change (default: today).", valueName: "day"),
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
    commandName: "clear", abstract: "Clear a daily goal.")

  @Argument(help: "The goal.")
  var goal: ActivityGoal
  @Option(
    help: ArgumentHelp("The first day of the change (default: today).", valueName: "day"),
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
      guard let argument = self ?? .today else { throw Failure("today's date is unknown; give --from") }
      return argument.day
    }
  }
}
