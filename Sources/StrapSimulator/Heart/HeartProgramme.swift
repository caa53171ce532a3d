/// The target heart rate over time: a repeating sequence of phases.
public struct HeartProgramme: Hashable, Sendable {
  /// A period in which the target heart rate changes linearly to a new value.
  public struct Phase: Hashable, Sendable {
    /// The duration in seconds.
    public var duration: Double
    /// The target at the end of the phase, in beats per minute.
    public var heartRate: Double

    public init(duration: Double, heartRate: Double) {
      self.duration = duration
      self.heartRate = heartRate
    }
  }

  /// The heart rate at rest and at the start, in beats per minute.
  public var restingHeartRate: Double
  /// The phases. They are repeated until the simulation ends.
  public var phases: [Phase]
  /// The target heart rates over days. If set, it is used instead of the phases.
  private(set) var course: DayCourse?

  public init(restingHeartRate: Double, phases: [Phase]) {
    self.restingHeartRate = restingHeartRate
    self.phases = phases
  }

  /// Returns a ten-minute program with rest, a ramp, exercise and recovery.
  public static func workout(resting: Double, peak: Double) -> HeartProgramme {
    HeartProgramme(
      restingHeartRate: resting,
      phases: [
        Phase(duration: 120, heartRate: resting),
        Phase(duration: 150, heartRate: peak),
        Phase(duration: 60, heartRate: peak - 4),
        Phase(duration: 60, heartRate: peak + 6),
        Phase(duration: 90, heartRate: resting + 25),
        Phase(duration: 120, heartRate: resting),
      ])
  }

  /// Returns a program that consists only of rest.
  public static func rest(_ heartRate: Double) -> HeartProgramme {
    HeartProgramme(restingHeartRate: heartRate, phases: [Phase(duration: 3600, heartRate: heartRate)])
  }

  /// Returns a program that simulates days: sleep, work, walks and training, with a slow random drift.
  /// - Parameters:
  ///   - resting: The heart rate of the person when awake and at rest, in beats per minute.
  ///   - maximum: The maximum heart rate of the person, in beats per minute.
  ///   - start: The time of day at which the simulation starts, in seconds since midnight.
  ///   - beginsWithSession: Whether the person starts to train one to three minutes after the start.
  ///   - seed: The seed of all random numbers.
  public static func day(
    resting: Double, maximum: Double, startingAt start: Double, beginsWithSession: Bool, seed: UInt64
  ) -> HeartProgramme {
    var programme = HeartProgramme(restingHeartRate: resting, phases: [])
    let start = start - (start / DayCourse.secondsPerDay).rounded(.down) * DayCourse.secondsPerDay
    programme.course = DayCourse(
      resting: resting, maximum: maximum, start: start, beginsWithSession: beginsWithSession, seed: seed)
    return programme
  }

  /// Returns the target heart rate `time` seconds after the start.
  func heartRate(at time: Double) -> Double {
    let total = phases.reduce(0) { $0 + $1.duration }
    guard total > 0, let last = phases.last else { return restingHeartRate }
    let round = (time / total).rounded(.down)
    var rest = time - round * total
    var from = round > 0 ? last.heartRate : restingHeartRate
    for phase in phases {
      if rest < phase.duration { return from + (phase.heartRate - from) * rest / phase.duration }
      rest -= phase.duration
      from = phase.heartRate
    }
    return from
  }
}
