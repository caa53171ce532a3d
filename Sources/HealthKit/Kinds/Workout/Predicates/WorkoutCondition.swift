import HealthStorage

enum WorkoutCondition: Hashable, Codable, Sendable {
  /// A raw value.
  case activityType(UInt)
  /// Seconds.
  case duration(ValueComparison, Double)
  case total(Total, QuantityComparison)
  case figure(FigureComparison)
  /// At least one activity.
  case activity(ConditionTree<WorkoutActivityCondition>)

  /// Whether it takes the samples of the workout.
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

/// A condition on a statistic of the samples of a workout or of one of its activities.
struct FigureComparison: Hashable, Codable, Sendable {
  enum Figure: String, Codable, Sendable {
    case sum
    case minimum
    case maximum
    case average
  }

  private let figure: Figure
  /// An identifier.
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
