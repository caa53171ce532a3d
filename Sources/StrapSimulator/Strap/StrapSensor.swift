import Bluetooth

/// What a strap makes of its wearer's beats: one frame after another.
struct StrapSensor: Sendable {
  /// Ticks a second of the clock that times the beats.
  private static let tickRate = 1024.0
  /// How many intervals the shown heart rate is the mean of.
  private static let window = 6
  /// How many intervals wait for a frame before the oldest is lost.
  private static let queueLimit = 16

  private let profile: StrapProfile
  private var heart: Heart
  private var nextBeat: Heart.Beat
  private var contactLosses: Faults
  /// The tick of the last beat that was felt; `nil` where the skin was lost since.
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

  /// A client turned notifications on: what was felt before is of no interest.
  mutating func subscribe(at time: Double) {
    feel(until: time)
    queue.removeAll()
  }

  /// The frame that is due at `time`, in seconds since the simulation began.
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
    // A body at rest burns about 5 kJ a minute, one at 150 beats about 50.
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
