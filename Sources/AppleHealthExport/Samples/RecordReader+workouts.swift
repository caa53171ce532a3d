import Foundation
import HealthKit
import HealthStorage

extension RecordReader {
  mutating func workout(_ element: ExportElement) throws(RecordError) -> [Recorded] {
    let frame = try frame(element)
    guard let name = element["workoutActivityType"],
      let number = EnumerationValues.value(ofConstant: name) ?? Int(name),
      let activityType = UInt(exactly: number).flatMap(HKWorkoutActivityType.init(rawValue:))
    else { throw .value }
    let uuid = uuid(frame, .workoutType(), RecordIdentity.content(number))
    var whole = HKWorkout.Whole(
      uuid: uuid, activityType: activityType, start: frame.startDate, end: frame.endDate)
    whole.device = frame.device
    whole.metadata = frame.metadata
    whole.duration = try duration(element)
    whole.events = events(element, within: frame)
    whole.activities = activities(element, within: frame)
    try takeTotals(element, &whole)
    return [try recorded(frame) { () throws(HKValidationError) in try HKWorkout.make(whole) }]
  }

  /// Returns the duration of a workout in seconds, or `nil` if the element does not contain it.
  private func duration(_ element: ExportElement) throws(RecordError) -> TimeInterval? {
    guard element["duration"] != nil else { return nil }
    guard let duration = quantity(element["duration"], element["durationUnit"] ?? "min"),
      duration.is(compatibleWith: .second())
    else { throw .value }
    return duration.doubleValue(for: .second())
  }

  private func quantity(_ value: String?, _ unit: String?) -> HKQuantity? {
    guard let value = value.flatMap(NumberText.parse),
      let unit = unit.flatMap({ try? HKUnit.validated(from: $0) })
    else { return nil }
    return HKQuantity(unit: unit, doubleValue: value)
  }

  // MARK: - Events and activities

  /// Returns the events of a workout. An export truncates times to whole seconds, so events that seem to end
  /// after the workout are shortened. An activity's events also become events of the workout. An event that
  /// is listed both in an activity and in the workout is returned once.
  private mutating func events(_ element: ExportElement, within frame: Frame) -> [HKWorkoutEvent] {
    var events: [HKWorkoutEvent] = []
    let own = element.children(named: "WorkoutEvent")
    let inActivities = element.children(named: "WorkoutActivity").flatMap {
      $0.children(named: "WorkoutEvent")
    }
    for (index, child) in (own + inActivities).enumerated() {
      guard let event = event(child, within: frame) else {
        count(.workoutPart)
        continue
      }
      if index < own.count || !events.contains(event) { events.append(event) }
    }
    events.sort { $0.dateInterval.start < $1.dateInterval.start }
    // Drop a resume that is not preceded by a pause.
    while events.first?.type == .resume {
      events.removeFirst()
      count(.workoutPart)
    }
    return events
  }

  private mutating func event(_ element: ExportElement, within frame: Frame) -> HKWorkoutEvent? {
    let (metadata, exactness) = metadata(element)
    guard let name = element["type"],
      let type = (EnumerationValues.value(ofConstant: name) ?? Int(name)).flatMap(
        HKWorkoutEventType.init(rawValue:)),
      let date = element["date"].flatMap(ExportTime.parse)
    else { return nil }
    let start = date + exactness.start
    guard frame.start <= frame.end, (frame.start...frame.end).contains(start) else { return nil }
    let seconds = (try? duration(element)) ?? 0
    guard seconds < 1e9, seconds >= 0 else { return nil }
    let end = min(frame.end, start + Int64((seconds * 1e6).rounded()))
    return try? HKWorkoutEvent.make(
      type: type, dateInterval: DateInterval(start: Microseconds.date(start), end: Microseconds.date(end)),
      metadata: metadata)
  }

  private mutating func activities(
    _ element: ExportElement, within frame: Frame
  ) -> [HKWorkout.Whole.Activity] {
    var activities: [HKWorkout.Whole.Activity] = []
    for child in element.children(named: "WorkoutActivity") {
      let (metadata, exactness) = metadata(child)
      guard let uuid = child["uuid"].flatMap(UUID.init(uuidString:)),
        let start = child["startDate"].flatMap(ExportTime.parse).map({ $0 + exactness.start }),
        let end = (child.end ?? "").isEmpty
          ? frame.end : child.end.flatMap(ExportTime.parse).map({ $0 + exactness.end }),
        start >= frame.start, start <= frame.end, end >= start
      else {
        count(.workoutPart)
        continue
      }
      activities.append(
        HKWorkout.Whole.Activity(
          uuid: uuid, start: Microseconds.date(start), end: Microseconds.date(min(end, frame.end)),
          metadata: metadata))
    }
    return activities
  }

  // MARK: - Totals

  /// Reads the total energy and distance of a workout. Since iOS 16 they are `WorkoutStatistics` elements;
  /// before, they were attributes.
  private mutating func takeTotals(
    _ element: ExportElement, _ whole: inout HKWorkout.Whole
  ) throws(RecordError) {
    whole.energyBurned = quantity(element["totalEnergyBurned"], element["totalEnergyBurnedUnit"])
    whole.distance = quantity(element["totalDistance"], element["totalDistanceUnit"])
    whole.swimmingStrokeCount = quantity(element["totalSwimmingStrokeCount"], "count")
    whole.flightsClimbed = quantity(element["totalFlightsClimbed"], "count")
    var distances: [(type: String, distance: HKQuantity)] = []
    for child in element.children(named: "WorkoutStatistics") {
      let type = child["type"] ?? ""
      guard let sum = quantity(child["sum"], child["unit"]), take(sum, type, &whole, &distances) else {
        // Skip other statistics: the samples from which they were computed are records of the export.
        countUnread("WorkoutStatistics \(type)")
        continue
      }
    }
    if let distance = total(distances) { whole.distance = distance }
    for activity in element.children(named: "WorkoutActivity") {
      for child in activity.children(named: "WorkoutStatistics") {
        countUnread("WorkoutStatistics \(child["type"] ?? "")")
      }
    }
    for child in element.children(named: "WorkoutRoute") { countUnread(child.name) }
  }

  /// Returns the sum of the distances. A multisport workout has one distance for each sport.
  private mutating func total(_ distances: [(type: String, distance: HKQuantity)]) -> HKQuantity? {
    guard let first = distances.first?.distance else { return nil }
    let unit = first.unit
    // There is no check that the unit is a length, because `HKWorkout` checks the sum.
    return distances.dropFirst().reduce(first) { total, next in
      guard next.distance.is(compatibleWith: unit) else {
        count(.workoutPart)
        return total
      }
      let sum = total.doubleValue(for: unit) + next.distance.doubleValue(for: unit)
      return HKQuantity(unit: unit, doubleValue: sum)
    }
  }

  private func take(
    _ sum: HKQuantity, _ type: String, _ whole: inout HKWorkout.Whole,
    _ distances: inout [(type: String, distance: HKQuantity)]
  ) -> Bool {
    switch HKQuantityTypeIdentifier(rawValue: type) {
    case .activeEnergyBurned: whole.energyBurned = sum
    case .swimmingStrokeCount: whole.swimmingStrokeCount = sum
    case .flightsClimbed: whole.flightsClimbed = sum
    case _ where type.hasPrefix("HKQuantityTypeIdentifierDistance"):
      // If a type occurs again, the later statistics element replaces the earlier one.
      distances.removeAll { $0.type == type }
      distances.append((type, sum))
    default: return false
    }
    return true
  }
}
