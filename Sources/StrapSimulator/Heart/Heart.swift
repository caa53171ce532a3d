/// A heart whose every beat follows from its programme and a seed.
///
/// The rate follows the programme with the inertia of a body; breathing modulates the intervals (respiratory
/// sinus arrhythmia), less so under effort; a premature beat comes now and then, and the pause that
/// compensates it.
public struct Heart: Sendable {
  /// One contraction.
  public struct Beat: Hashable, Sendable {
    /// Seconds since the simulation began.
    public var time: Double
    /// Seconds since the beat before.
    public var interval: Double
    /// It came before its time.
    public var isEctopic: Bool
  }

  /// How far the rate goes towards the wanted one in a second: hearts speed up faster than they calm down.
  private static let rise = 1.0 / 12
  private static let fall = 1.0 / 30
  private static let prematurity = 0.65

  private let programme: HeartProgramme
  private let ectopicProbability: Double
  private var random: SplitMix64
  private var heartRate: Double
  private var breath = 0.0
  private var time = 0.0
  /// What a premature beat left of its own interval, for the pause after it.
  private var compensation = 0.0

  /// - Parameter ectopicProbability: Of each beat, from 0 to 1.
  public init(programme: HeartProgramme, ectopicProbability: Double = 0.002, seed: UInt64) {
    self.programme = programme
    self.ectopicProbability = ectopicProbability
    random = SplitMix64(seed: seed, stream: 0x6865_6172_74)
    heartRate = programme.restingHeartRate
  }

  public mutating func nextBeat() -> Beat {
    let wanted = programme.heartRate(at: time)
    let effort = min(1, max(0, (heartRate - programme.restingHeartRate) / 80))
    let base = 60 / heartRate
    let respiration = (0.006 + 0.05 * (1 - effort)) * Self.wave(breath)
    let noise = (0.002 + 0.008 * (1 - effort)) * random.normal()
    let regular = base * (1 + respiration + noise)

    let isEctopic = compensation == 0 && random.unit() < ectopicProbability
    let interval = isEctopic ? regular * Self.prematurity : regular + compensation
    compensation = isEctopic ? regular - interval : 0

    let pull = wanted > heartRate ? Self.rise : Self.fall
    heartRate += (wanted - heartRate) * min(1, pull * interval)
    let breathsPerSecond = 0.22 + 0.35 * effort
    breath += breathsPerSecond * interval
    breath -= breath.rounded(.down)
    time += interval
    return Beat(time: time, interval: interval, isEctopic: isEctopic)
  }

  /// One period of a wave for `phase` from 0 to 1: two parabolas, close to a sine.
  private static func wave(_ phase: Double) -> Double {
    let half = phase < 0.5 ? phase : phase - 0.5
    let arch = 16 * half * (0.5 - half)
    return phase < 0.5 ? arch : -arch
  }
}
