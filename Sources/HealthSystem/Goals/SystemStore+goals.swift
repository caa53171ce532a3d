package import HealthKit
import HealthStorage

extension SystemStore {
  /// All goals that the user set, in the order of their days.
  package func activityGoals() async throws -> [ActivityGoalSetting] {
    try await HKError.translating {
      let type = HKObjectType.activitySummaryType().identifier
      let goals = try await database.activityGoals(of: type) ?? []
      return goals.compactMap { ActivityGoalSetting($0) }
    }
  }

  /// Sets what the user means to do a day, from a day on.
  /// - Parameter quantity: nil for no goal any more.
  /// - Throws: errorInvalidArgument for a quantity that is none of this goal.
  package func setActivityGoal(
    _ quantity: HKQuantity?, for goal: ActivityGoal, from day: ActivityDay
  ) async throws {
    let record = ActivityGoalRecord(
      measure: goal.storedName, day: day.number, value: try quantity.map { try goal.value(of: $0) })
    try await HKError.translating { try await database.setActivityGoal(record) }
  }
}
