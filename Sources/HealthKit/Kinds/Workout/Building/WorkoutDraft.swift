import Foundation
import HealthStorage

/// The state of a workout that is being built. Each change is validated first; if it throws, the state is
/// unchanged.
struct WorkoutDraft: Sendable {
  private(set) var start: Date?
  private(set) var end: Date?
  private(set) var metadata: [String: MetadataValue] = [:]
  /// The events in chronological order.
  private(set) var events: [HKWorkoutEvent] = []
  private(set) var activities: [HKWorkoutActivity] = []
  /// The UUIDs of the samples to associate with the workout.
  private(set) var members: [UUID] = []
  /// The quantities of the samples when they were last read.
  private(set) var quantities = WorkoutQuantities()
  /// The elements of `members` as a set, for fast lookup.
  private(set) var known: Set<UUID> = []

  mutating func begin(at date: Date) throws(HKError) {
    guard start == nil else { throw Self.refusal("the collection has begun already") }
    guard Microseconds.of(date) != nil else { throw Self.refusal("the date is out of range") }
    start = date
  }

  mutating func end(at date: Date) throws(HKError) {
    let start = try begun()
    guard end == nil else { throw Self.refusal("the collection has ended already") }
    guard Microseconds.of(date) != nil, date >= start else {
      throw Self.refusal("a workout must not end before it starts")
    }
    guard events.allSatisfy({ $0.dateInterval.end <= date }),
      activities.allSatisfy({ ($0.endDate ?? $0.startDate) <= date })
    else { throw Self.refusal("a workout must not end before its events and activities do") }
    end = date
  }

  /// Checks that samples can be added.
  /// - Throws: `HKError` errorInvalidArgument if a sample starts before the workout.
  func check(_ samples: [HKSample]) throws(HKError) {
    let start = try begun()
    guard samples.allSatisfy({ $0.startDate >= start }) else {
      throw Self.refusal("a sample of a workout must not start before the workout")
    }
  }

  /// Adds samples and their quantities.
  /// - Parameter quantities: The quantities of all of the samples.
  /// - Returns: False if one of the samples was already added. In that case nothing is added.
  mutating func add(_ samples: [UUID], _ quantities: AssociatedQuantities) -> Bool {
    guard known.isDisjoint(with: samples) else { return false }
    known.formUnion(samples)
    members += samples
    self.quantities.add(quantities)
    return true
  }

  /// Replaces the quantities with newly read ones.
  /// - Parameter count: The number of samples whose quantities were read.
  /// - Returns: False if samples were added in the meantime. In that case nothing changes.
  mutating func replace(_ quantities: AssociatedQuantities, ofFirst count: Int) -> Bool {
    guard members.count == count else { return false }
    self.quantities = WorkoutQuantities(quantities)
    return true
  }

  mutating func add(_ values: [String: MetadataValue]) throws(HKError) {
    let merged = metadata.merging(values) { $1 }
    do {
      _ = try ObjectMetadata(checking: merged)
    } catch {
      throw HKError(invalid: error)
    }
    metadata = merged
  }

  mutating func add(_ new: [HKWorkoutEvent]) throws(HKError) {
    let start = try begun()
    guard new.allSatisfy({ $0.dateInterval.start >= start && $0.dateInterval.end <= (end ?? .distantFuture) })
    else { throw Self.refusal("an event of a workout must lie within the workout") }
    // The sort is stable, so a new event is placed after existing ones with the same time.
    let all = (events + new).sorted { $0.dateInterval.start < $1.dateInterval.start }
    guard all.first?.type != .resume else {
      throw Self.refusal("the first event of a workout must not be a resume")
    }
    events = all
  }

  mutating func add(_ activity: HKWorkoutActivity) throws(HKError) {
    let start = try begun()
    guard activity.startDate >= start, (activity.endDate ?? activity.startDate) <= (end ?? .distantFuture)
    else {
      throw Self.refusal("an activity of a workout must lie within the workout")
    }
    guard !activities.contains(activity) else { throw Self.refusal("the activity was added already") }
    activities.append(activity)
  }

  mutating func update(_ uuid: UUID, end: Date) throws(HKError) {
    let (index, activity) = try activity(uuid)
    guard end <= (self.end ?? .distantFuture) else {
      throw Self.refusal("an activity of a workout must lie within the workout")
    }
    do {
      try HKWorkoutActivity.check(activity.startDate, end)
    } catch {
      throw HKError(invalid: error)
    }
    activities[index] = activity.copy(end: end, metadata: activity.activityMetadata, events: [])
  }

  mutating func update(_ uuid: UUID, adding metadata: [String: MetadataValue]) throws(HKError) {
    let (index, activity) = try activity(uuid)
    let values = activity.activityMetadata?.encoded.values ?? [:]
    do {
      let merged = try ObjectMetadata(checking: values.merging(metadata) { $1 })
      activities[index] = activity.copy(end: activity.endDate, metadata: merged, events: [])
    } catch {
      throw HKError(invalid: error)
    }
  }

  /// Returns the duration up to a date, in seconds and without pauses; 0 before the workout begins.
  func elapsedTime(at date: Date) -> TimeInterval {
    guard let start, date > start else { return 0 }
    return WorkoutDuration.active(
      from: start, to: date, events: events.filter { $0.dateInterval.start <= date })
  }

  private func begun() throws(HKError) -> Date {
    guard let start else { throw Self.refusal("the collection has not begun") }
    return start
  }

  private func activity(_ uuid: UUID) throws(HKError) -> (Int, HKWorkoutActivity) {
    guard let index = activities.firstIndex(where: { $0.uuid == uuid }) else {
      throw Self.refusal("the workout has no such activity")
    }
    return (index, activities[index])
  }

  static func refusal(_ reason: String) -> HKError { HKError(.errorInvalidArgument, reason: reason) }
}

// MARK: - Creating the workout

extension WorkoutDraft {
  /// Returns the workout. Activities without an end get the end of the workout, and every activity gets the
  /// events within it.
  /// - Parameter totals: The totals of the samples.
  /// - Throws: `HKError` errorInvalidArgument if the collection has not ended.
  func workout(
    _ configuration: HKWorkoutConfiguration.Values, _ device: HKDevice?, _ totals: WorkoutTotals
  ) throws(HKError) -> HKWorkout {
    guard let start, let end else { throw Self.refusal("the collection has not ended") }
    let finished = activities.map { activity in
      let last = activity.endDate ?? end
      return activity.copy(
        end: last, metadata: activity.activityMetadata,
        events: events.filter {
          $0.dateInterval.start >= activity.startDate && $0.dateInterval.end <= last
        })
    }
    let parts = HKWorkout.Parts(
      activityType: configuration.activityType, configuration: configuration,
      events: events.isEmpty ? nil : events, activities: finished, totals: totals)
    do {
      let interval = try SampleInterval(start: start, end: end, of: HKObjectType.workoutType())
      try parts.check(within: interval)
      return HKWorkout(
        parts, interval,
        ObjectOrigin(
          device: device, metadata: metadata.isEmpty ? nil : try ObjectMetadata(checking: metadata)))
    } catch {
      throw HKError(invalid: error)
    }
  }
}

extension HKWorkoutActivity {
  fileprivate func copy(end: Date?, metadata: ObjectMetadata?, events: [HKWorkoutEvent]) -> HKWorkoutActivity
  {
    HKWorkoutActivity(
      uuid: uuid, configuration, start: startDate, end: end, metadata: metadata, events: events)
  }
}
