import HealthStorage

/// Times are microseconds since 1970. An activity that goes on ends at no time yet, later than any that is
/// asked for.
enum WorkoutActivityCondition: ConditionOnSubject, Codable {
  /// A raw value.
  case activityType(UInt)
  /// Seconds.
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
