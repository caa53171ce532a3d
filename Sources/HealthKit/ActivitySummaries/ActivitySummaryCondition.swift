/// Which days' summaries. One that no store made is of no day.
struct ActivitySummaryCondition: ConditionOnSubject {
  let first: ActivityDay
  let last: ActivityDay

  func holds(_ summary: HKActivitySummary) -> Bool {
    summary.day.map { first <= $0 && $0 <= last } ?? false
  }
}
