/// What the user may mean to do a day. The raw value is its name on a command line.
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

  /// What the store knows it by: the name of the summary's property.
  package var storedName: String { measure.rawValue }

  package var unit: HKUnit { measure.unit }

  /// In the goal's unit.
  /// - Throws: errorInvalidArgument for a quantity that is none of this goal.
  package func value(of quantity: HKQuantity) throws(HKError) -> Double {
    try HKError.validating { () throws(HKValidationError) in try quantity.check(storedName, in: unit) }
    return quantity.doubleValue(for: unit)
  }
}
