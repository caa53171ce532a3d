import Bluetooth

/// The sensor of a strap. It creates frames from the heartbeats of the person who wears it.
struct StrapSensor: Sendable {
  /// Ticks of the strap's clock per second. RR intervals are sent in these ticks.
  private static let tickRate = 1024.0
  /// The number of intervals that are averaged for the heart rate.
  private static let window = 6
  /// Maximum number of unsent intervals. If there are more, the oldest one is dropped.
  private static let queueLimit = 16

  private let profile: StrapProfile
  private var heart: Heart
  private var nextBeat: Heart.Beat
  private var contactLosses: Faults
  /// The time of the last detected beat in ticks; `nil` after a loss of contact.
  private var lastTick: Int64?
  private var recent: [UInt16] = []
  private var queue: [UInt16] = []
  private var heartRate: UInt16 = 0
  private var energy = 0.0
  private var frames = 0
  private var time = 0.0

  init(_ profile: StrapProfile, seed: UInt64) {
    self.profile = profile
    heart = Heart(programme: profile.programme, ectopicProbability: profile.ectopicProbability, seed: seed)
    nextBeat = heart.nextBeat()
    contactLosses = Faults(profile.contactLosses, random: SplitMix64(seed: seed, stream: 0x736B_696E))
  }

  /// Starts sending intervals when notifications are enabled. Earlier intervals are discarded.
  mutating func subscribe(at time: Double) {
    feel(until: time)
    queue.removeAll()
  }

  /// Returns the frame that the strap sends at `time`, in seconds since the start of the simulation.
  mutating func frame(at time: Double) -> HeartRateMeasurement {
    feel(until: time)
    let hasContact = contactLosses.fault(at: time) == nil
    frames += 1
    var measurement = HeartRateMeasurement(
      heartRate: heartRate, valueFormat: profile.valueFormat,
      sensorContact: profile.detectsContact ? (hasContact ? .detected : .notDetected) : .notSupported)
    if let every = profile.energyEvery, frames % every == 0 {
      measurement.energyExpended = UInt16(min(energy, Double(HeartRateMeasurement.saturatedEnergyExpended)))
    }
    if profile.reportsRRIntervals, hasContact {
      let count = min(queue.count, measurement.maximumRRCount(forMTU: Int(profile.mtu)))
      measurement.rrTicks = RRTicks(queue.prefix(count))
      queue.removeFirst(count)
    }
    return measurement
  }

  private mutating func feel(until time: Double) {
    while nextBeat.time <= time {
      feel(nextBeat)
      nextBeat = heart.nextBeat()
    }
    // An estimate of energy expenditure: about 5 kJ per minute at 60 beats per minute, and about 50 at 150.
    let kilojoulesPerSecond = max(0.05, (Double(heartRate) - 50) * 0.0083)
    energy += kilojoulesPerSecond * max(0, time - self.time)
    self.time = time
  }

  private mutating func feel(_ beat: Heart.Beat) {
    guard contactLosses.fault(at: beat.time) == nil || !profile.detectsContact else {
      lastTick = nil
      queue.removeAll()
      recent.removeAll()
      return
    }
    let tick = Int64(beat.time * Self.tickRate)
    defer { lastTick = tick }
    guard let lastTick, let interval = UInt16(exactly: tick - lastTick) else { return }
    if queue.count == Self.queueLimit { queue.removeFirst() }
    queue.append(interval)
    if recent.count == Self.window { recent.removeFirst() }
    recent.append(interval)
    let total = recent.reduce(0.0) { $0 + Double($1) }
    heartRate = UInt16((60 * Self.tickRate * Double(recent.count) / total).rounded())
  }
}
