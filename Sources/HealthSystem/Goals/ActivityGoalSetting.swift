package import HealthKit
import HealthStorage

/// A goal set by the user.
package struct ActivityGoalSetting: Sendable {
  package let goal: ActivityGoal
  /// The first day of the goal. It applies until the next setting.
  package let day: ActivityDay
  /// The goal per day, or nil to end the goal.
  package let quantity: HKQuantity?

  /// Creates a setting, or returns nil if this version does not know the goal.
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
  /// Returns all goals of the user, in the order of their days.
  package func activityGoals() async throws -> [ActivityGoalSetting] {
    try await HKError.translating {
      let type = HKObjectType.activitySummaryType().identifier
      let goals = try await database.activityGoals(of: type) ?? []
      return goals.compactMap { ActivityGoalSetting($0) }
    }
  }

  /// Sets a daily goal from a day on.
  /// - Parameter quantity: The goal per day, or nil to end the goal.
  /// - Throws: errorInvalidArgument if the quantity does not fit the goal.
  package func setActivityGoal(
    _ quantity: HKQuantity?, for goal: ActivityGoal, from day: ActivityDay
  ) async throws {
    let record = ActivityGoalRecord(
      measure: goal.storedName, day: day.number, value: try quantity.map { try goal.value(of: $0) })
    try await HKError.translating { try await database.setActivityGoal(record) }
  }
}
