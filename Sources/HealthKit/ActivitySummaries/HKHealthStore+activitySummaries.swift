import HealthStorage

extension HKHealthStore {
  /// Returns the summaries that match a condition, ordered by day.
  func activitySummaries(_ tree: ConditionTree<ActivitySummaryCondition>?) async throws -> [HKActivitySummary]
  {
    let type = HKObjectType.activitySummaryType()
    let records = try await HKError.translating {
      try await admit(.read([type])).activityGoals(of: type.identifier)
    }
    // If the program may not read summaries, return none.
    guard let records else { return [] }
    let days = try await ActivityTally(unrestricted, ActivityBounds(tree)).figures()
    let goals = ActivityGoals(records)
    let mode = try unrestricted.activityMoveMode().activityMoveMode
    var summaries: [HKActivitySummary] = []
    for (day, figures) in days.sorted(by: { $0.key < $1.key }) {
      let summary = HKActivitySummary()
      summary.day = day
      summary.activityMoveMode = mode
      try HKError.validating { () throws(HKValidationError) in
        for (measure, value) in figures {
          try summary.setChecked(HKQuantity(unit: measure.unit, doubleValue: value), for: measure)
        }
        try goals.apply(to: summary, on: day)
      }
      if tree?.holds(summary) ?? true { summaries.append(summary) }
    }
    return summaries
  }
}

extension HKHealthStore {
  /// A handle on the same store without permission checks, used to compute summaries from samples that the
  /// program may not read.
  var unrestricted: HKHealthStore { acting(as: revision) }
}
