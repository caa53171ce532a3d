public import Foundation
import HealthStorage

// Predicates on workout activities, for use with `predicateForWorkouts(activityPredicate:)`. Functions with
// an operator trap if the operator is not a comparison. If an activity lacks the compared quantity, only
// `notEqualTo` matches it.

extension HKQuery {
  /// Returns a predicate for activities of the given type.
  public class func predicateForWorkoutActivities(
    workoutActivityType: HKWorkoutActivityType
  ) -> NSPredicate {
    ConditionPredicate(WorkoutActivityCondition.activityType(workoutActivityType.rawValue))
  }

  /// Returns a predicate that compares the duration of activities with the given one.
  /// - Parameter duration: In seconds.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, duration: TimeInterval
  ) -> NSPredicate {
    ConditionPredicate(
      WorkoutActivityCondition.duration(requiring(try ValueComparison(operatorType)), duration))
  }

  /// Returns a predicate for activities in a time window. The options have the same meaning as in
  /// `predicateForSamples(withStart:end:options:)`. The end of an activity in progress is after any window.
  public class func predicateForWorkoutActivities(
    start: Date?, end: Date?, options: HKQueryOptions = []
  ) -> NSPredicate {
    var parts: [WorkoutActivityCondition] = []
    if let from = start.map(Microseconds.clamped) {
      parts.append(options.contains(.strictStartDate) ? .startsFrom(from) : .endsFrom(from))
    }
    if let to = end.map(Microseconds.clamped) {
      parts.append(options.contains(.strictEndDate) ? .endsBefore(to) : .startsBefore(to))
    }
    return ConditionPredicate(.all(parts.map { .one($0) }))
  }

  /// Returns a predicate that compares the sum of a quantity type during an activity with a quantity.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, sumQuantity: HKQuantity
  ) -> NSPredicate {
    activities(FigureComparison(.sum, quantityType, operatorType, sumQuantity))
  }

  /// Returns a predicate that compares the minimum of a quantity type during an activity with a quantity.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, minimumQuantity: HKQuantity
  ) -> NSPredicate {
    activities(FigureComparison(.minimum, quantityType, operatorType, minimumQuantity))
  }

  /// Returns a predicate that compares the maximum of a quantity type during an activity with a quantity.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, maximumQuantity: HKQuantity
  ) -> NSPredicate {
    activities(FigureComparison(.maximum, quantityType, operatorType, maximumQuantity))
  }

  /// Returns a predicate that compares the average of a quantity type during an activity with a quantity.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, averageQuantity: HKQuantity
  ) -> NSPredicate {
    activities(FigureComparison(.average, quantityType, operatorType, averageQuantity))
  }

  private class func activities(_ comparison: FigureComparison) -> NSPredicate {
    ConditionPredicate(WorkoutActivityCondition.figure(comparison))
  }
}
