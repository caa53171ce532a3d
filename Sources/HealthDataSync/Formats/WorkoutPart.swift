package import Foundation
import HealthKit

extension SampleLine {
  /// The fields of a workout in the JSON of a sample. Absent values are omitted.
  package struct WorkoutPart: Encodable, Sendable {
    package struct Event: Encodable, Sendable {
      /// The type, such as `pause` or `lap`, or a number if this version does not know the name.
      package var type: String
      package var start: String
      package var end: String
      package var metadata: [String: MetadataValue]?
    }

    /// One activity of a workout, such as the swimming part of a triathlon.
    package struct Activity: Encodable, Sendable {
      package var uuid: String
      package var activityType: String
      package var start: String
      /// The end, or `nil` while the activity continues.
      package var end: String?
      package var events: [Event]?
      package var metadata: [String: MetadataValue]?
    }

    /// The type, such as `running`, or a number if this version does not know the name.
    package var activityType: String
    /// The duration in seconds, not counting pauses.
    package var duration: TimeInterval
    package var totalEnergyBurned: MetadataValue?
    package var totalDistance: MetadataValue?
    package var totalSwimmingStrokeCount: MetadataValue?
    package var totalFlightsClimbed: MetadataValue?
    package var events: [Event]?
    package var activities: [Activity]?

    init(_ workout: HKWorkout, in units: [HKQuantityType: HKUnit]) {
      activityType = Self.name(workout.workoutActivityType)
      duration = workout.duration
      func total(_ quantity: HKQuantity?, of type: HKQuantityTypeIdentifier) -> MetadataValue? {
        guard let quantity else { return nil }
        guard let unit = units[HKQuantityType(type)], quantity.is(compatibleWith: unit) else {
          return .quantity(quantity)
        }
        return .quantity(HKQuantity(unit: unit, doubleValue: quantity.doubleValue(for: unit)))
      }
      totalEnergyBurned = total(workout.totalEnergyBurned, of: .activeEnergyBurned)
      totalDistance = total(workout.totalDistance, of: .distanceWalkingRunning)
      totalSwimmingStrokeCount = workout.totalSwimmingStrokeCount.map(MetadataValue.quantity)
      totalFlightsClimbed = workout.totalFlightsClimbed.map(MetadataValue.quantity)
      events = Self.events(workout.workoutEvents)
      let stated = workout.statedActivities.map { activity in
        Activity(
          uuid: activity.uuid.uuidString, activityType: Self.name(activity.workoutConfiguration.activityType),
          start: Timestamp.text(activity.startDate), end: activity.endDate.map(Timestamp.text),
          events: Self.events(activity.workoutEvents), metadata: Self.metadata(activity.metadata))
      }
      activities = stated.isEmpty ? nil : stated
    }

    private static func events(_ events: [HKWorkoutEvent]?) -> [Event]? {
      guard let events, !events.isEmpty else { return nil }
      return events.map { event in
        Event(
          type: CaseName.text(event.type.rawValue, in: "HKWorkoutEventType")
            ?? "\(event.type.rawValue)",
          start: Timestamp.text(event.dateInterval.start), end: Timestamp.text(event.dateInterval.end),
          metadata: metadata(event.metadata))
      }
    }

    private static func metadata(_ metadata: [String: Any]?) -> [String: MetadataValue]? {
      guard let metadata, !metadata.isEmpty else { return nil }
      return metadata.compactMapValues(MetadataValue.init)
    }

    private static func name(_ type: HKWorkoutActivityType) -> String {
      CaseName.text(Int(type.rawValue), in: "HKWorkoutActivityType") ?? "\(type.rawValue)"
    }
  }
}

extension MetadataValue {
  /// The value and unit of a quantity for a CSV field, or `nil` for other values.
  package var text: String? {
    guard case .quantity(let quantity) = self else { return nil }
    return "\(quantity.doubleValue(for: quantity.unit)) \(quantity.unit.unitString)"
  }
}
