import HealthStorage

/// A kind of daily goal. The raw value is its name on the command line.
package enum ActivityGoal: String, CaseIterable, Sendable {
  case activeEnergyBurned
  case appleMoveTime
  case appleExerciseTime
  case appleStandHours

  private var measure: ActivityFigures.Measure {
    switch self {
    case .activeEnergyBurned: .activeEnergyBurnedGoal
    case .appleMoveTime: .appleMoveTimeGoal
    case .appleExerciseTime: .exerciseTimeGoal
    case .appleStandHours: .standHoursGoal
    }
  }

  /// The name in the store. It is the name of the corresponding property of `HKActivitySummary`.
  package var storedName: String { measure.rawValue }

  package var unit: HKUnit { measure.unit }

  /// Returns the value of a quantity in the unit of the goal.
  /// - Throws: `HKError` errorInvalidArgument if the quantity has another unit.
  package func value(of quantity: HKQuantity) throws(HKError) -> Double {
    try HKError.validating { () throws(HKValidationError) in try quantity.check(storedName, in: unit) }
    return quantity.doubleValue(for: unit)
  }
}

/// The user's daily goals over time.
struct ActivityGoals: Sendable {
  /// For each measure, its goals ordered by the day from which they apply. A nil value ends the goal.
  private var goals: [ActivityFigures.Measure: [(day: Int64, value: Double?)]] = [:]

  /// Creates the goals from stored records. Skips measures that this version does not know.
  init(_ records: [ActivityGoalRecord]) {
    for record in records.sorted(by: { $0.day < $1.day }) {
      guard let measure = ActivityFigures.Measure(rawValue: record.measure) else { continue }
      goals[measure, default: []].append((record.day, record.value))
    }
  }

  /// Sets the goals of a summary to the goals that apply on its day.
  func apply(to summary: HKActivitySummary, on day: ActivityDay) throws(HKValidationError) {
    for (measure, goals) in goals {
      guard let value = goals.last(where: { $0.day <= day.number })?.value else { continue }
      try summary.setChecked(HKQuantity(unit: measure.unit, doubleValue: value), for: measure)
    }
  }
}
