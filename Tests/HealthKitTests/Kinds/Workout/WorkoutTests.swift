import HealthKit
import Testing

// An extension that an application may declare. It must compile.
extension HKWorkout {
  fileprivate convenience init(running seconds: Double) {
    self.init(activityType: .running, start: moment(), end: moment(seconds))
  }
}

extension HKQuantitySample {
  fileprivate convenience init(beats: Double) {
    self.init(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: beatsPerMinute, doubleValue: beats),
      start: moment(), end: moment())
  }
}

@Suite struct WorkoutTests {
  @Test func `a convenience initializer in a client calls Apple's`() {
    #expect(HKWorkout(running: 60).duration == 60)
    #expect(HKQuantitySample(beats: 60) is HKDiscreteQuantitySample)
  }

  private func event(_ type: HKWorkoutEventType, _ start: Double, lasting: Double = 0) -> HKWorkoutEvent {
    HKWorkoutEvent(
      type: type, dateInterval: DateInterval(start: moment(start), duration: lasting), metadata: nil)
  }

  @Test func `the duration of a workout is from start to end`() {
    let workout = HKWorkout(activityType: .other, start: moment(), end: moment(1800))
    #expect(workout.duration == 1800)
    #expect(workout.workoutActivityType.rawValue == 3000)
    #expect(workout.workoutEvents == nil)
    #expect(workout.statistics(for: HKQuantityType(.stepCount)) == nil)
    #expect(workout.sampleType == HKWorkoutType.workoutType())
  }

  @Test func `a workout without activities has one that covers all of it`() throws {
    let pauses = [event(.pause, 100), event(.resume, 160)]
    let workout = HKWorkout(
      activityType: .rowing, start: moment(), end: moment(600), workoutEvents: pauses,
      totalEnergyBurned: nil, totalDistance: nil, metadata: nil)
    let activity = try #require(workout.workoutActivities.first)
    #expect(workout.workoutActivities.count == 1)
    #expect(activity.workoutConfiguration.activityType == .rowing)
    #expect(activity.startDate == moment() && activity.endDate == moment(600))
    #expect(activity.duration == workout.duration)
    #expect(activity.workoutEvents == pauses)
    #expect(activity.uuid != workout.uuid)
    #expect(activity.uuid != HKWorkout(activityType: .rowing, start: moment(), end: moment(600)).uuid)
  }

  @Test func `an archive without activities always decodes to the same activity`() throws {
    let workout = HKWorkout(activityType: .rowing, start: moment(), end: moment(600))
    for _ in 0..<2 {
      let read = try #require(try readTampered(workout, ["workoutActivities": nil]))
      #expect(read.workoutActivities == workout.workoutActivities)
    }
  }

  @Test(arguments: [
    ([(HKWorkoutEventType.pause, 100.0), (.resume, 160)], 540.0), ([(.pause, 500)], 500),
    ([(.motionPaused, 10), (.motionResumed, 20), (.pause, 30), (.resume, 40)], 580),
    ([(.pause, 10), (.pause, 20), (.resume, 30)], 580),
    ([(.pause, 10), (.motionPaused, 12), (.motionResumed, 20), (.resume, 30)], 580),
    ([(.motionPaused, 12), (.pause, 15), (.resume, 20), (.motionResumed, 30)], 582),
    ([(.lap, 5), (.marker, 9)], 600),
    ([(.marker, 1), (.resume, 5)], 600), ([(.pause, 0), (.resume, 600)], 0),
  ])
  func `pauses do not count`(events: [(HKWorkoutEventType, Double)], duration: Double) {
    let workout = HKWorkout(
      activityType: .running, start: moment(), end: moment(600),
      workoutEvents: events.map { event($0.0, $0.1) }, totalEnergyBurned: nil, totalDistance: nil,
      metadata: nil)
    #expect(workout.duration == duration)
  }

  @Test func `events are sorted by time`() {
    let workout = HKWorkout(
      activityType: .running, start: moment(), end: moment(600),
      workoutEvents: [event(.resume, 20), event(.lap, 30, lasting: 100), event(.pause, 10)],
      totalEnergyBurned: nil, totalDistance: nil, device: nil, metadata: nil)
    #expect(workout.workoutEvents?.map(\.type) == [.pause, .resume, .lap])
  }

  @Test func `a duration of zero is that of the dates`() {
    func workout(_ duration: TimeInterval) -> HKWorkout {
      HKWorkout(
        activityType: .walking, start: moment(), end: moment(60), duration: duration, totalEnergyBurned: nil,
        totalDistance: nil, metadata: nil)
    }
    #expect(workout(0).duration == 60)
    #expect(workout(42).duration == 42)
  }

  @Test func `totals keep their units`() {
    let workout = HKWorkout(
      activityType: .swimming, start: moment(), end: moment(60), workoutEvents: nil,
      totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 350),
      totalDistance: HKQuantity(unit: .mile(), doubleValue: 1),
      totalSwimmingStrokeCount: HKQuantity(unit: .count(), doubleValue: 12), device: nil, metadata: nil)
    #expect(workout.totalEnergyBurned?.doubleValue(for: .kilocalorie()) == 350)
    #expect(workout.totalDistance?.doubleValue(for: .meter()) == 1609.344)
    #expect(workout.totalSwimmingStrokeCount?.doubleValue(for: .count()) == 12)
    #expect(workout.totalFlightsClimbed == nil)
  }

  @Test func `invalid workouts are rejected`() {
    func refuse(
      _ start: Double = 0, _ end: Double = 600, events: [HKWorkoutEvent]? = nil, duration: Double? = nil,
      energy: HKQuantity? = nil, distance: HKQuantity? = nil, strokes: HKQuantity? = nil,
      _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(throws: HKValidationError.self, sourceLocation: location) {
        try HKWorkout.validated(
          activityType: .running, start: moment(start), end: moment(end), workoutEvents: events,
          duration: duration, totalEnergyBurned: energy, totalDistance: distance,
          totalSwimmingStrokeCount: strokes)
      }
    }
    refuse(1, 0)
    refuse(events: [event(.resume, 5)])
    refuse(events: [event(.marker, -1)])
    refuse(events: [event(.marker, 601)])
    refuse(events: [event(.lap, 590, lasting: 20)])
    refuse(duration: -1)
    refuse(duration: .nan)
    refuse(energy: HKQuantity(unit: .meter(), doubleValue: 1))
    refuse(distance: HKQuantity(unit: .kilocalorie(), doubleValue: 1))
    refuse(strokes: HKQuantity(unit: .meter(), doubleValue: 1))
  }

  @Test func `only laps and segments have a duration`() throws {
    for type in [HKWorkoutEventType.lap, .segment] { #expect(event(type, 0, lasting: 5).type == type) }
    for type in [
      HKWorkoutEventType.pause, .resume, .marker, .motionPaused, .motionResumed, .pauseOrResumeRequest,
    ] {
      #expect(throws: HKValidationError.self) {
        try HKWorkoutEvent.validated(type: type, dateInterval: DateInterval(start: moment(), duration: 1))
      }
    }
    #expect(throws: HKValidationError.self) {
      try HKWorkoutEvent.validated(
        type: .marker, dateInterval: DateInterval(start: Date(timeIntervalSince1970: .nan), duration: 0))
    }
    #expect(event(.marker, 1) == event(.marker, 1))
    #expect(event(.marker, 1) != event(.marker, 2))
    #expect(
      HKWorkoutEvent(
        type: .lap, dateInterval: DateInterval(start: moment(), duration: 1), metadata: ["k": 1])
        != event(.lap, 0, lasting: 1))
  }

  @Test func `a configuration is copied, not shared`() throws {
    let configuration = HKWorkoutConfiguration()
    #expect(configuration.activityType == .other)
    #expect(configuration.locationType == .unknown)
    configuration.activityType = .cycling
    let activity = HKWorkoutActivity(
      workoutConfiguration: configuration, start: moment(), end: moment(10), metadata: nil)
    configuration.activityType = .running
    #expect(activity.workoutConfiguration.activityType == .cycling)
    activity.workoutConfiguration.activityType = .running
    #expect(activity.workoutConfiguration.activityType == .cycling)
    #expect(activity.duration == 10)
    #expect(throws: HKValidationError.self) {
      try HKWorkoutActivity.validated(workoutConfiguration: configuration, start: moment(1), end: moment())
    }
    let copy = try #require(configuration.copy() as? HKWorkoutConfiguration)
    #expect(copy == configuration && copy !== configuration)
  }
}
