public import Foundation
import HealthStorage

// The predicates on workouts. Those with an operator trap on one that does not compare. A workout that lacks
// the compared quantity matches `notEqualTo` only. A quantity whose unit does not convert never matches.

extension HKQuery {
  /// The samples that were added to a workout. Only a store knows them: in memory no sample belongs to a
  /// workout.
  public class func predicateForObjects(from workout: HKWorkout) -> NSPredicate {
    FilterPredicate(.members(of: workout.uuid))
  }

  public class func predicateForWorkouts(with workoutActivityType: HKWorkoutActivityType) -> NSPredicate {
    FilterPredicate(.workout(.activityType(workoutActivityType.rawValue)))
  }

  /// Workouts that have an activity for which the predicate holds: one of the factories' for activities, or a
  /// compound of them. With any other the query fails with errorInvalidArgument.
  public class func predicateForWorkouts(activityPredicate: NSPredicate) -> NSPredicate {
    do {
      return FilterPredicate(.workout(.activity(try ConditionTree(activityPredicate))))
    } catch {
      return NSPredicate { object, _ in
        (object as? HKWorkout)?.workoutActivities.contains { activityPredicate.evaluate(with: $0) } ?? false
      }
    }
  }

  /// - Parameter duration: in seconds.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, duration: TimeInterval
  ) -> NSPredicate {
    FilterPredicate(.workout(.duration(requiring(try ValueComparison(operatorType)), duration)))
  }

  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalEnergyBurned: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.energyBurned, operatorType, totalEnergyBurned))
  }

  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalDistance: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.distance, operatorType, totalDistance))
  }

  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalSwimmingStrokeCount: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.swimmingStrokeCount, operatorType, totalSwimmingStrokeCount))
  }

  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalFlightsClimbed: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.flightsClimbed, operatorType, totalFlightsClimbed))
  }
}

// MARK: - By the statistics of a workout's samples

extension HKQuery {
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, sumQuantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.figure(FigureComparison(.sum, quantityType, operatorType, sumQuantity))))
  }

  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, minimumQuantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(
      .workout(.figure(FigureComparison(.minimum, quantityType, operatorType, minimumQuantity))))
  }

  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, maximumQuantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(
      .workout(.figure(FigureComparison(.maximum, quantityType, operatorType, maximumQuantity))))
  }

  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, averageQuantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(
      .workout(.figure(FigureComparison(.average, quantityType, operatorType, averageQuantity))))
  }
}

// MARK: - Effort

extension HKQuery {
  /// The samples of effort that belong to a workout, of an activity those that are related to it. Known to a
  /// store only: in memory no sample belongs to a workout.
  public class func predicateForWorkoutEffortSamplesRelated(
    workout: HKWorkout, activity: HKWorkoutActivity?
  ) -> NSPredicate {
    let related: SampleFilter =
      activity.map { .related(to: workout.uuid, part: $0.uuid) } ?? .members(of: workout.uuid)
    return FilterPredicate(.all([related, Effort.filter]))
  }
}

extension SampleFilter {
  fileprivate static func workout(_ condition: WorkoutCondition) -> SampleFilter {
    SampleCondition.workout(condition).filter
  }

  @available(*, deprecated)
  fileprivate static func workout(
    _ total: WorkoutCondition.Total, _ operatorType: NSComparisonPredicate.Operator, _ quantity: HKQuantity
  ) -> SampleFilter {
    .workout(.total(total, QuantityComparison(requiring(try ValueComparison(operatorType)), quantity)))
  }
}

extension FigureComparison {
  @available(*, deprecated)
  init(
    _ figure: Figure, _ type: HKQuantityType, _ operatorType: NSComparisonPredicate.Operator,
    _ quantity: HKQuantity
  ) {
    self.init(figure, of: type, QuantityComparison(requiring(try ValueComparison(operatorType)), quantity))
  }
}
