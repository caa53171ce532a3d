public import Foundation

// Predicates on activity summaries. These functions trap if date components have no calendar or do not
// specify a day.

extension HKQuery {
  /// Returns a predicate for the summary of a day.
  /// - Parameter dateComponents: Era, year, month and day, with their calendar.
  public class func predicateForActivitySummary(with dateComponents: DateComponents) -> NSPredicate {
    let day = requiring(try ActivityDay(dateComponents))
    return ConditionPredicate(ActivitySummaryCondition(first: day, last: day))
  }

  /// Returns a predicate for the summaries from one day to another, inclusive.
  public class func predicate(
    forActivitySummariesBetweenStart startDateComponents: DateComponents,
    end endDateComponents: DateComponents
  ) -> NSPredicate {
    ConditionPredicate(
      ActivitySummaryCondition(
        first: requiring(try ActivityDay(startDateComponents)),
        last: requiring(try ActivityDay(endDateComponents))))
  }
}

/// A predicate on a range of days. A summary that does not come from a store has no day and never matches.
struct ActivitySummaryCondition: ConditionOnSubject {
  let first: ActivityDay
  let last: ActivityDay

  func holds(_ summary: HKActivitySummary) -> Bool {
    summary.day.map { first <= $0 && $0 <= last } ?? false
  }
}
