public import Foundation

// The predicates on activity summaries. Both trap on components without a calendar, and on those that name no
// day.

extension HKQuery {
  /// The summary of a day.
  /// - Parameter dateComponents: era, year, month and day, with their calendar.
  public class func predicateForActivitySummary(with dateComponents: DateComponents) -> NSPredicate {
    let day = requiring(try ActivityDay(dateComponents))
    return ConditionPredicate(ActivitySummaryCondition(first: day, last: day))
  }

  /// The summaries of the days from one to another, both included.
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
