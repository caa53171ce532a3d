import HealthStorage

/// A condition on a workout, as part of a predicate.
enum WorkoutCondition: Hashable, Codable, Sendable {
  /// The raw value of an activity type.
  case activityType(UInt)
  /// Compares the duration with a number of seconds.
  case duration(ValueComparison, Double)
  case total(Total, QuantityComparison)
  case figure(FigureComparison)
  /// Matches if at least one activity matches.
  case activity(ConditionTree<WorkoutActivityCondition>)

  /// Whether the statistics of the workout's samples are needed to evaluate the condition.
  var asksForFigures: Bool {
    switch self {
    case .activityType, .duration, .total: false
    case .figure: true
    case .activity(let tree): tree.contains { if case .figure = $0 { true } else { false } }
    }
  }

  enum Total: String, Hashable, Codable, Sendable {
    case energyBurned
    case distance
    case swimmingStrokeCount
    case flightsClimbed
  }

  func holds(_ workout: HKWorkout) -> Bool {
    switch self {
    case .activityType(let value): workout.workoutActivityType.rawValue == value
    case .duration(let comparison, let seconds): comparison.holds(workout.duration, seconds)
    case .total(let total, let comparison): comparison.holds(total.of(workout))
    case .figure(let comparison): comparison.holds(workout.statistics(for:))
    case .activity(let condition): workout.workoutActivities.contains { condition.holds($0) }
    }
  }
}

extension WorkoutCondition.Total {
  fileprivate func of(_ workout: HKWorkout) -> HKQuantity? {
    switch self {
    case .energyBurned: workout.totalEnergyBurned
    case .distance: workout.totalDistance
    case .swimmingStrokeCount: workout.totalSwimmingStrokeCount
    case .flightsClimbed: workout.totalFlightsClimbed
    }
  }
}

/// Compares a statistic, such as the sum, of the samples of a workout or activity with a quantity.
struct FigureComparison: Hashable, Codable, Sendable {
  enum Figure: String, Codable, Sendable {
    case sum
    case minimum
    case maximum
    case average
  }

  private let figure: Figure
  /// The identifier of the samples' type.
  private let type: String
  private let comparison: QuantityComparison

  init(_ figure: Figure, of type: HKQuantityType, _ comparison: QuantityComparison) {
    self.figure = figure
    self.type = type.identifier
    self.comparison = comparison
  }

  func holds(_ statistics: (HKQuantityType) -> HKStatistics?) -> Bool {
    let found = (ObjectTypes.type(type) as? HKQuantityType).flatMap(statistics)
    return comparison.holds(found.flatMap(figure.of))
  }
}

extension FigureComparison.Figure {
  fileprivate func of(_ statistics: HKStatistics) -> HKQuantity? {
    switch self {
    case .sum: statistics.sumQuantity()
    case .minimum: statistics.minimumQuantity()
    case .maximum: statistics.maximumQuantity()
    case .average: statistics.averageQuantity()
    }
  }
}

/// A condition on a workout activity.
///
/// Times are microseconds since 1970. An activity in progress is treated as ending after any given time.
enum WorkoutActivityCondition: ConditionOnSubject, Codable {
  /// The raw value of an activity type.
  case activityType(UInt)
  /// Compares the duration with a number of seconds.
  case duration(ValueComparison, Double)
  case startsFrom(Int64)
  case startsBefore(Int64)
  case endsFrom(Int64)
  case endsBefore(Int64)
  case figure(FigureComparison)

  func holds(_ activity: HKWorkoutActivity) -> Bool {
    switch self {
    case .activityType(let value): activity.configuration.activityType.rawValue == value
    case .duration(let comparison, let seconds): comparison.holds(activity.duration, seconds)
    case .startsFrom(let time): Microseconds.clamped(activity.startDate) >= time
    case .startsBefore(let time): Microseconds.clamped(activity.startDate) < time
    case .endsFrom(let time): activity.endDate.map { Microseconds.clamped($0) >= time } ?? true
    case .endsBefore(let time): activity.endDate.map { Microseconds.clamped($0) < time } ?? false
    case .figure(let comparison): comparison.holds(activity.statistics(for:))
    }
  }
}
