/// What a body does over time: phases that lead the heart from one rate to the next, over and over.
public struct HeartProgramme: Hashable, Sendable {
  /// A stretch of time in which the wanted heart rate goes evenly to a new value.
  public struct Phase: Hashable, Sendable {
    /// Seconds.
    public var duration: Double
    /// Beats per minute at the end of the phase.
    public var heartRate: Double

    public init(duration: Double, heartRate: Double) {
      self.duration = duration
      self.heartRate = heartRate
    }
  }

  /// Beats per minute at the beginning, and the rate at which the body is at rest.
  public var restingHeartRate: Double
  public var phases: [Phase]

  public init(restingHeartRate: Double, phases: [Phase]) {
    self.restingHeartRate = restingHeartRate
    self.phases = phases
  }

  /// Rest, a ramp, exercise and recovery, in ten minutes.
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

  /// Nothing but rest.
  public static func rest(_ heartRate: Double) -> HeartProgramme {
    HeartProgramme(restingHeartRate: heartRate, phases: [Phase(duration: 3600, heartRate: heartRate)])
  }

  /// The wanted heart rate, `time` seconds after the beginning.
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
