import HealthStorage

/// A daily goal. Raw values are the names used on the command line.
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

  /// The name in the store, which is that of the summary's property.
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
  /// Goals by measure, in order of the days from which they apply. A nil value means no goal.
  private var goals: [ActivityFigures.Measure: [(day: Int64, value: Double?)]] = [:]

  /// Skips goals whose measure was written by a newer version.
  init(_ records: [ActivityGoalRecord]) {
    for record in records.sorted(by: { $0.day < $1.day }) {
      guard let measure = ActivityFigures.Measure(rawValue: record.measure) else { continue }
      goals[measure, default: []].append((record.day, record.value))
    }
  }

  /// Sets the goals that apply on the day of a summary.
  func apply(to summary: HKActivitySummary, on day: ActivityDay) throws(HKValidationError) {
    for (measure, goals) in goals {
      guard let value = goals.last(where: { $0.day <= day.number })?.value else { continue }
      try summary.setChecked(HKQuantity(unit: measure.unit, doubleValue: value), for: measure)
    }
  }
}
