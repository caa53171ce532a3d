import HealthStorage

/// What the user means to do a day.
struct ActivityGoals: Sendable {
  /// By measure, in the order of the days from which they hold.
  private var goals: [ActivityFigures.Measure: [(day: Int64, value: Double?)]] = [:]

  /// A goal for a measure that this version does not know is left out.
  init(_ records: [ActivityGoalRecord]) {
    for record in records.sorted(by: { $0.day < $1.day }) {
      guard let measure = ActivityFigures.Measure(rawValue: record.measure) else { continue }
      goals[measure, default: []].append((record.day, record.value))
    }
  }

  /// Sets the goals of the summary's day.
  func apply(to summary: HKActivitySummary, on day: ActivityDay) throws(HKValidationError) {
    for (measure, goals) in goals {
      guard let value = goals.last(where: { $0.day <= day.number })?.value else { continue }
      try summary.setChecked(HKQuantity(unit: measure.unit, doubleValue: value), for: measure)
    }
  }
}
