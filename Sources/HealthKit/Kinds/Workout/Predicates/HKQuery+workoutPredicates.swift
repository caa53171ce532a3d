public import Foundation
import HealthStorage

// Predicates on workouts. Functions with an operator trap if the operator is not a comparison. If a workout
// lacks the compared quantity, only `notEqualTo` matches it. A quantity in an incompatible unit never
// matches.

extension HKQuery {
  /// Returns a predicate for the samples that are associated with a workout. Only a query can use it:
  /// `evaluate` cannot know which workout a sample belongs to.
  public class func predicateForObjects(from workout: HKWorkout) -> NSPredicate {
    FilterPredicate(.members(of: workout.uuid))
  }

  /// Returns a predicate for workouts of the given activity type.
  public class func predicateForWorkouts(with workoutActivityType: HKWorkoutActivityType) -> NSPredicate {
    FilterPredicate(.workout(.activityType(workoutActivityType.rawValue)))
  }

  /// Returns a predicate for workouts with at least one activity that matches.
  /// - Parameter activityPredicate: A predicate from one of the `predicateForWorkoutActivities` functions, or
  ///   a compound of such predicates. With any other predicate the query fails with errorInvalidArgument.
  public class func predicateForWorkouts(activityPredicate: NSPredicate) -> NSPredicate {
    do {
      return FilterPredicate(.workout(.activity(try ConditionTree(activityPredicate))))
    } catch {
      return NSPredicate { object, _ in
        (object as? HKWorkout)?.workoutActivities.contains { activityPredicate.evaluate(with: $0) } ?? false
      }
    }
  }

  /// Returns a predicate that compares the duration of workouts with the given one.
  /// - Parameter duration: In seconds.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, duration: TimeInterval
  ) -> NSPredicate {
    FilterPredicate(.workout(.duration(requiring(try ValueComparison(operatorType)), duration)))
  }

  /// Returns a predicate that compares the total energy of workouts with the given quantity.
  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalEnergyBurned: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.energyBurned, operatorType, totalEnergyBurned))
  }

  /// Returns a predicate that compares the total distance of workouts with the given quantity.
  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalDistance: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.distance, operatorType, totalDistance))
  }

  /// Returns a predicate that compares the total stroke count of workouts with the given quantity.
  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalSwimmingStrokeCount: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.swimmingStrokeCount, operatorType, totalSwimmingStrokeCount))
  }

  /// Returns a predicate that compares the flights climbed in workouts with the given quantity.
  @available(*, deprecated, message: "use predicateForWorkouts(operatorType:quantityType:sumQuantity:)")
  public class func predicateForWorkouts(
    with operatorType: NSComparisonPredicate.Operator, totalFlightsClimbed: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.flightsClimbed, operatorType, totalFlightsClimbed))
  }
}

// MARK: - Statistics of the samples

extension HKQuery {
  /// Returns a predicate that compares the sum of a quantity type during a workout with a quantity.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, sumQuantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(.workout(.figure(FigureComparison(.sum, quantityType, operatorType, sumQuantity))))
  }

  /// Returns a predicate that compares the minimum of a quantity type during a workout with a quantity.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, minimumQuantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(
      .workout(.figure(FigureComparison(.minimum, quantityType, operatorType, minimumQuantity))))
  }

  /// Returns a predicate that compares the maximum of a quantity type during a workout with a quantity.
  @available(*, deprecated, message: "Foundation on Linux has deprecated NSComparisonPredicate")
  public class func predicateForWorkouts(
    operatorType: NSComparisonPredicate.Operator, quantityType: HKQuantityType, maximumQuantity: HKQuantity
  ) -> NSPredicate {
    FilterPredicate(
      .workout(.figure(FigureComparison(.maximum, quantityType, operatorType, maximumQuantity))))
  }

  /// Returns a predicate that compares the average of a quantity type during a workout with a quantity.
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
  /// Returns a predicate for the effort samples that are associated with a workout or related to one of its
  /// activities. Only a query can use it: `evaluate` cannot know which workout a sample belongs to.
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
