public import Foundation

/// A workout: its activity, its interval and its totals.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKWorkout: HKSample, @unchecked Sendable {
  public let workoutActivityType: HKWorkoutActivityType
  /// The events in chronological order; nil if none were specified.
  public let workoutEvents: [HKWorkoutEvent]?
  /// The activities of the workout. If none were specified, there is a single one that spans the workout.
  // This is a `var` because `init(coder:)` needs the UUID to set it, which is only known after `super.init`.
  // It never changes later.
  public final private(set) var workoutActivities: [HKWorkoutActivity]
  /// The duration in seconds, without pauses.
  public let duration: TimeInterval
  let totals: WorkoutTotals
  // The store sets this once, before it returns the workout to the caller.
  final var storedStatistics: [HKQuantityType: HKStatistics] = [:]

  init(_ content: Parts, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    workoutActivityType = content.activityType
    workoutEvents = content.events
    workoutActivities = content.activities(of: origin.uuid, interval)
    duration =
      content.duration
      ?? WorkoutDuration.active(from: interval.start, to: interval.end, events: content.events ?? [])
    totals = content.totals
    super.init(.workoutType(), interval, origin)
  }

  public var totalEnergyBurned: HKQuantity? { totals.energyBurned }
  public var totalDistance: HKQuantity? { totals.distance }
  public var totalSwimmingStrokeCount: HKQuantity? { totals.swimmingStrokeCount }
  public var totalFlightsClimbed: HKQuantity? { totals.flightsClimbed }

  /// The statistics of the associated samples at the time when the workout was read. Empty if the workout
  /// does not come from a store or a builder.
  public var allStatistics: [HKQuantityType: HKStatistics] { storedStatistics }

  /// Returns the statistics of a type, or nil if the workout has no samples of the type.
  public func statistics(for quantityType: HKQuantityType) -> HKStatistics? { allStatistics[quantityType] }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(Int(workoutActivityType.rawValue), forKey: ArchiveKey.activityType)
    coder.encode(workoutEvents as NSArray?, forKey: ArchiveKey.events)
    coder.encode(workoutActivities as NSArray, forKey: ArchiveKey.activities)
    coder.encode(duration, forKey: ArchiveKey.duration)
    coder.encode(totalEnergyBurned, forKey: ArchiveKey.energyBurned)
    coder.encode(totalDistance, forKey: ArchiveKey.distance)
    coder.encode(totalSwimmingStrokeCount, forKey: ArchiveKey.swimmingStrokeCount)
    coder.encode(totalFlightsClimbed, forKey: ArchiveKey.flightsClimbed)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) is HKWorkoutType,
      let activityType = coder.value(HKWorkoutActivityType.self, forKey: ArchiveKey.activityType),
      let duration = coder.real(forKey: ArchiveKey.duration)
    else { return nil }
    workoutActivityType = activityType
    workoutEvents = coder.objects(HKWorkoutEvent.self, forKey: ArchiveKey.events)
    workoutActivities = coder.objects(HKWorkoutActivity.self, forKey: ArchiveKey.activities) ?? []
    self.duration = duration
    totals = WorkoutTotals(
      energyBurned: coder.object(HKQuantity.self, forKey: ArchiveKey.energyBurned),
      distance: coder.object(HKQuantity.self, forKey: ArchiveKey.distance),
      swimmingStrokeCount: coder.object(HKQuantity.self, forKey: ArchiveKey.swimmingStrokeCount),
      flightsClimbed: coder.object(HKQuantity.self, forKey: ArchiveKey.flightsClimbed))
    super.init(coder: coder)
    let content = Parts(
      activityType: activityType, events: workoutEvents, activities: workoutActivities, duration: duration,
      totals: totals)
    guard (try? content.check(within: interval)) != nil else { return nil }
    workoutActivities = content.activities(of: uuid, interval)
  }

  private enum ArchiveKey {
    static let activityType = "workoutActivityType"
    static let events = "workoutEvents"
    static let activities = "workoutActivities"
    static let duration = "duration"
    static let energyBurned = "totalEnergyBurned"
    static let distance = "totalDistance"
    static let swimmingStrokeCount = "totalSwimmingStrokeCount"
    static let flightsClimbed = "totalFlightsClimbed"
  }
}

/// The type of workouts.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKWorkoutType: HKSampleType, @unchecked Sendable {}
