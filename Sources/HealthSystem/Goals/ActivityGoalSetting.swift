package import HealthKit
import HealthStorage

/// An activity goal, such as 10,000 steps per day, that the user set as of a certain day.
package struct ActivityGoalSetting: Sendable {
  package let goal: ActivityGoal
  /// The first day of the goal, which applies until the next setting.
  package let day: ActivityDay
  /// The amount to reach each day, or nil if the goal ends on this day.
  package let quantity: HKQuantity?

  /// Returns nil if this version does not know the goal.
  init?(_ record: ActivityGoalRecord) {
    guard let goal = ActivityGoal.allCases.first(where: { $0.storedName == record.measure }),
      let day = ActivityDay(number: record.day)
    else { return nil }
    self.goal = goal
    self.day = day
    quantity = record.value.map { HKQuantity(unit: goal.unit, doubleValue: $0) }
  }
}

extension SystemStore {
  /// Returns all settings of the user's goals in chronological order.
  package func activityGoals() async throws -> [ActivityGoalSetting] {
    try await HKError.translating {
      let type = HKObjectType.activitySummaryType().identifier
      let goals = try await database.activityGoals(of: type) ?? []
      return goals.compactMap { ActivityGoalSetting($0) }
    }
  }

  /// Sets a daily goal as of a day.
  /// - Parameter quantity: The amount to reach each day, or nil to end the goal.
  /// - Throws: errorInvalidArgument if the unit of the quantity does not fit the goal.
  package func setActivityGoal(
    _ quantity: HKQuantity?, for goal: ActivityGoal, from day: ActivityDay
  ) async throws {
    let record = ActivityGoalRecord(
      measure: goal.storedName, day: day.number, value: try quantity.map { try goal.value(of: $0) })
    try await HKError.translating { try await database.setActivityGoal(record) }
  }
}
