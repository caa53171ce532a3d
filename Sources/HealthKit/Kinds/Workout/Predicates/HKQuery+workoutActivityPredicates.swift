public import Foundation
import HealthStorage

// The predicates on the activities of workouts, for `predicateForWorkouts(activityPredicate:)`. Those with an
// operator trap on one that does not compare. An activity that lacks the compared quantity matches
// `notEqualTo` only.

extension HKQuery {
  public class func predicateForWorkoutActivities(
    workoutActivityType: HKWorkoutActivityType
  ) -> NSPredicate {
    ConditionPredicate(WorkoutActivityCondition.activityType(workoutActivityType.rawValue))
  }

  /// - Parameter duration: in seconds.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, duration: TimeInterval
  ) -> NSPredicate {
    ConditionPredicate(
      WorkoutActivityCondition.duration(requiring(try ValueComparison(operatorType)), duration))
  }

  /// Activities that lie so to a window, as `predicateForSamples(withStart:end:options:)` has it. One that
  /// goes on has no end in any window.
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

  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, sumQuantity: HKQuantity
  ) -> NSPredicate {
    activities(FigureComparison(.sum, quantityType, operatorType, sumQuantity))
  }

  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, minimumQuantity: HKQuantity
  ) -> NSPredicate {
    activities(FigureComparison(.minimum, quantityType, operatorType, minimumQuantity))
  }

  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkoutActivities(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, maximumQuantity: HKQuantity
  ) -> NSPredicate {
    activities(FigureComparison(.maximum, quantityType, operatorType, maximumQuantity))
  }

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
