package import HealthKit
import HealthStorage

/// A goal that the user set.
package struct ActivityGoalSetting: Sendable {
  package let goal: ActivityGoal
  /// From this day on, until the next that says otherwise.
  package let day: ActivityDay
  /// nil for no goal any more.
  package let quantity: HKQuantity?

  /// nil for a goal that this version does not know.
  init?(_ record: ActivityGoalRecord) {
    guard let goal = ActivityGoal.allCases.first(where: { $0.storedName == record.measure }),
      let day = ActivityDay(number: record.day)
    else { return nil }
    self.goal = goal
    self.day = day
    quantity = record.value.map { HKQuantity(unit: goal.unit, doubleValue: $0) }
  }
}
