/// A simulated heart. Its beats depend only on its program and a seed.
///
/// The heart rate follows the program with a delay. Breathing varies the intervals (respiratory sinus
/// arrhythmia), less during effort. Occasionally there is a premature beat, followed by a compensatory pause.
public struct Heart: Sendable {
  /// One contraction.
  public struct Beat: Hashable, Sendable {
    /// Seconds since the start of the simulation.
    public var time: Double
    /// Seconds since the previous beat.
    public var interval: Double
    /// Whether the beat is premature.
    public var isEctopic: Bool
  }

  /// The fraction of its difference from the target by which the heart rate changes per second. It rises
  /// faster than it falls.
  private static let rise = 1.0 / 12
  private static let fall = 1.0 / 30
  /// The length of the interval before a premature beat, relative to a regular one.
  private static let prematurity = 0.65

  private let programme: HeartProgramme
  private var days: DaysOfHeart?
  private let ectopicProbability: Double
  private var random: SplitMix64
  private var heartRate: Double
  private var breath = 0.0
  private var time = 0.0
  /// The number of seconds by which the last premature beat came early. It is added to the next interval.
  private var compensation = 0.0

  /// Creates a heart.
  /// - Parameters:
  ///   - programme: The target heart rates.
  ///   - ectopicProbability: The probability that a beat is premature, from 0 to 1.
  ///   - seed: The seed of all random numbers.
  public init(programme: HeartProgramme, ectopicProbability: Double = 0.002, seed: UInt64) {
    self.programme = programme
    self.ectopicProbability = ectopicProbability
    random = SplitMix64(seed: seed, stream: 0x6865_6172_74)
    heartRate = programme.restingHeartRate
    days = programme.course.map { DaysOfHeart($0) }
    if let start = days?.target(at: 0) { heartRate = start }
  }

  /// Returns the next beat.
  public mutating func nextBeat() -> Beat {
    if var days {
      defer { self.days = days }
      return nextBeat(of: &days)
    }
    let wanted = programme.heartRate(at: time)
    let effort = min(1, max(0, (heartRate - programme.restingHeartRate) / 80))
    let base = 60 / heartRate
    let respiration = (0.006 + 0.05 * (1 - effort)) * Self.wave(breath)
    let noise = (0.002 + 0.008 * (1 - effort)) * random.normal()
    let regular = base * (1 + respiration + noise)

    let beat = beat(after: regular, towards: wanted, rise: Self.rise, fall: Self.fall)
    let breathsPerSecond = 0.22 + 0.35 * effort
    breath += breathsPerSecond * beat.interval
    breath -= breath.rounded(.down)
    return beat
  }

  /// Returns the next beat for a program that simulates days. In addition to breathing, there are slower
  /// waves caused by blood pressure, and a random drift over minutes.
  private mutating func nextBeat(of days: inout DaysOfHeart) -> Beat {
    let wanted = days.target(at: time)
    let effort = min(1, max(0, (heartRate - programme.restingHeartRate) / 80))
    let calm = min(0.2, max(0, (programme.restingHeartRate - heartRate) / programme.restingHeartRate))
    days.drift += 0.28 * random.normal() - 0.008 * days.drift
    let drift = days.drift * (1 - 0.7 * effort)
    let base = 60 / max(30, heartRate + drift)
    let respiration = (0.004 + 0.048 * (1 - effort) * (1 + 2 * calm)) * Self.wave(breath)
    let pressure = 0.016 * (1 - effort) * Self.wave(days.pressure)
    let noise = (0.002 + 0.007 * (1 - effort)) * random.normal()
    let regular = base * (1 + respiration + pressure + noise)

    let beat = beat(after: regular, towards: wanted, rise: DaysOfHeart.rise, fall: DaysOfHeart.fall)
    breath += (0.22 + 0.35 * effort) * days.breathing * beat.interval
    if breath >= 1 {
      breath -= breath.rounded(.down)
      days.breathing = random.uniform(in: 0.8..<1.2)
    }
    days.advancePressure(by: beat.interval)
    return beat
  }

  /// Returns a beat after the interval `regular`, or a premature one, and moves the heart rate towards
  /// `wanted`.
  private mutating func beat(
    after regular: Double, towards wanted: Double, rise: Double, fall: Double
  ) -> Beat {
    let isEctopic = compensation == 0 && random.unit() < ectopicProbability
    let interval = isEctopic ? regular * Self.prematurity : regular + compensation
    compensation = isEctopic ? regular - interval : 0
    heartRate += (wanted - heartRate) * min(1, (wanted > heartRate ? rise : fall) * interval)
    time += interval
    return Beat(time: time, interval: interval, isEctopic: isEctopic)
  }

  /// Returns an approximate sine with period 1, made of two parabolas. `phase` is from 0 to 1.
  private static func wave(_ phase: Double) -> Double {
    let half = phase < 0.5 ? phase : phase - 0.5
    let arch = 16 * half * (0.5 - half)
    return phase < 0.5 ? arch : -arch
  }
}

/// Additional state for a program that simulates days.
private struct DaysOfHeart: Sendable {
  /// The fraction of its difference from the target by which the heart rate changes per second. The time
  /// constants are 22 s for a rise and 55 s for a fall.
  static let rise = 1.0 / 22
  static let fall = 1.0 / 55

  private var cursor: DayCursor
  /// A random drift in beats per minute, with a standard deviation of about 2 and a time scale of about two
  /// minutes.
  var drift = 0.0
  /// The phase of the ten-second waves caused by blood pressure.
  private(set) var pressure = 0.0
  /// The rate of the current breath relative to the mean rate.
  var breathing = 1.0

  init(_ course: DayCourse) { cursor = DayCursor(course) }

  mutating func target(at time: Double) -> Double { cursor.heartRate(at: time) }

  mutating func advancePressure(by interval: Double) {
    pressure += 0.1 * interval
    pressure -= pressure.rounded(.down)
  }
}
