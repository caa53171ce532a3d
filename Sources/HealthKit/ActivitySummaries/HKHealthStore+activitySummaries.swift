import HealthStorage

extension HKHealthStore {
  /// The summaries of the days of which a predicate holds, in order.
  func activitySummaries(_ tree: ConditionTree<ActivitySummaryCondition>?) async throws -> [HKActivitySummary]
  {
    let type = HKObjectType.activitySummaryType()
    let records = try await HKError.translating {
      try await admit(.read([type])).activityGoals(of: type.identifier)
    }
    // Who may not read is answered as if there were nothing.
    guard let records else { return [] }
    let days = try await ActivityTally(unrestricted, ActivityBounds(tree)).figures()
    let goals = ActivityGoals(records)
    let mode = try unrestricted.activityMoveMode().activityMoveMode
    var summaries: [HKActivitySummary] = []
    for (day, figures) in days.sorted(by: { $0.key < $1.key }) {
      let summary = HKActivitySummary()
      summary.day = day
      summary.activityMoveMode = mode
      do {
        for (measure, value) in figures {
          try summary.setChecked(HKQuantity(unit: measure.unit, doubleValue: value), for: measure)
        }
        try goals.apply(to: summary, on: day)
      } catch {
        throw HKError(invalid: error)
      }
      if tree?.holds(summary) ?? true { summaries.append(summary) }
    }
    return summaries
  }

  /// Means to do so much a day, from a day on: only the user sets goals, not a program.
  /// - Parameters:
  ///   - quantity: nil for no goal any more.
  ///   - measure: one of the goals of an activity summary.
  package func setActivityGoal(
    _ quantity: HKQuantity?, for measure: ActivityGoal, from day: ActivityDay
  ) async throws {
    let unit = measure.measure.unit
    do {
      try quantity?.check(measure.rawValue, in: unit)
    } catch {
      throw HKError(invalid: error)
    }
    let record = ActivityGoalRecord(
      measure: measure.measure.rawValue, day: day.number, value: quantity?.doubleValue(for: unit))
    try await HKError.translating { try await admit(.administer).setActivityGoal(record) }
  }
}

/// What the user may mean to do a day. The raw value is its name on a command line.
package enum ActivityGoal: String, CaseIterable, Sendable {
  case activeEnergyBurned
  case appleMoveTime
  case appleExerciseTime
  case appleStandHours

  var measure: ActivityFigures.Measure {
    switch self {
    case .activeEnergyBurned: .activeEnergyBurnedGoal
    case .appleMoveTime: .appleMoveTimeGoal
    case .appleExerciseTime: .exerciseTimeGoal
    case .appleStandHours: .standHoursGoal
    }
  }

  package var unit: HKUnit { measure.unit }
}

extension HKHealthStore {
  /// The same data without a question of permission, for what the store works out by itself.
  var unrestricted: HKHealthStore { acting(as: revision) }
}
