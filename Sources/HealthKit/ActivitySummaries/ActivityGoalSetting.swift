import HealthStorage

/// A goal that the user set.
package struct ActivityGoalSetting: Sendable {
  package let goal: ActivityGoal
  /// From this day on, until the next that says otherwise.
  package let day: ActivityDay
  /// nil for no goal any more.
  package let quantity: HKQuantity?

  /// nil for one that this version does not know.
  init?(_ record: ActivityGoalRecord) {
    guard let goal = ActivityGoal.allCases.first(where: { $0.measure.rawValue == record.measure }),
      let day = ActivityDay(number: record.day)
    else { return nil }
    self.goal = goal
    self.day = day
    quantity = record.value.map { HKQuantity(unit: goal.unit, doubleValue: $0) }
  }
}

extension HKHealthStore {
  /// All goals that the user set, in the order of their days.
  package func activityGoals() async throws -> [ActivityGoalSetting] {
    try await HKError.translating {
      let type = HKObjectType.activitySummaryType().identifier
      let goals = try await admit(.administer).activityGoals(of: type) ?? []
      return goals.compactMap { ActivityGoalSetting($0) }
    }
  }
}
