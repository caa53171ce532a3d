import Bluetooth

/// The events of one strap in chronological order, computed on demand.
struct StrapTimeline: Sequence, IteratorProtocol, Sendable {
  /// Reasons for a disconnection by the strap (Core Specification, Vol 1, Part F, §2.17) and for a lost
  /// connection (§2.6).
  private static let remoteUserTerminated: UInt8 = 0x13
  private static let connectionTimeout: UInt8 = 0x08
  /// Maximum relative error of a strap's clock.
  private static let crystalTolerance = 40e-6

  private enum State {
    case advertising(at: Double)
    case connecting(at: Double)
    case asking(Int, at: Double)
    case answering(Int, at: Double)
    /// The strap sends measurements. The number is that of the next frame, counted from `since`.
    case streaming(Int, since: Double)
    case losing(at: Double, until: Double)
    case ended
  }

  private let period: Double
  private let duration: Double
  private let reunion: AttributeDialogue
  private var dialogue: AttributeDialogue
  private var sensor: StrapSensor
  private var link: StrapLink
  private var linkLosses: Faults
  private var random: SplitMix64
  private var state: State

  /// Creates the events of a strap.
  /// - Parameter duration: Seconds until the strap is switched off.
  init(_ profile: StrapProfile, seed: UInt64, duration: Double) {
    let database = AttributeDatabase(profile)
    dialogue = .discovery(of: database)
    reunion = .reunion(with: database)
    sensor = StrapSensor(profile, seed: seed)
    link = StrapLink(random: SplitMix64(seed: seed, stream: 0x7261_6469_6F))
    linkLosses = Faults(profile.linkLosses, random: SplitMix64(seed: seed, stream: 0x6C6F_7373))
    random = SplitMix64(seed: seed, stream: 0x7374_7261_70)
    period = profile.period * (1 + Self.crystalTolerance * (2 * random.unit() - 1))
    self.duration = duration
    state = .advertising(at: random.uniform(in: 0.1..<1.5))
  }

  /// Returns the next event and its time in seconds since the start of the simulation.
  mutating func next() -> (time: Double, event: StrapEvent)? {
    switch state {
    case .advertising(let time):
      guard time < duration else { return end() }
      state = .connecting(at: time + random.uniform(in: 0.02..<0.08))
      return (time, .advertised)
    case .connecting(let time):
      state = .asking(0, at: link.receipt(of: time + 0.004))
      return (time, .connected)
    case .asking(let index, let time):
      state = .answering(index, at: link.receipt(of: time + 0.001))
      return (time, .requested(dialogue.exchanges[index].request))
    case .answering(let index, let time):
      return (time, answer(index, at: time))
    case .streaming(let number, let since):
      return stream(number, since: since)
    case .losing(let time, let fault):
      state = .advertising(at: Swift.max(fault, time) + random.uniform(in: 0.3..<2))
      dialogue = reunion
      return (time, .disconnected(reason: Self.connectionTimeout))
    case .ended:
      return nil
    }
  }

  private mutating func answer(_ index: Int, at time: Double) -> StrapEvent {
    let exchange = dialogue.exchanges[index]
    if index + 1 < dialogue.exchanges.count {
      state = .asking(index + 1, at: time + 0.0015)
    } else {
      sensor.subscribe(at: time)
      state = .streaming(1, since: time)
    }
    return .responded(exchange.response, read: exchange.value)
  }

  private mutating func stream(_ number: Int, since: Double) -> (time: Double, event: StrapEvent)? {
    let due = since + Double(number) * period
    if let fault = linkLosses.fault(at: due) {
      // The host notices the loss only after the supervision timeout.
      state = .losing(
        at: link.receipt(of: fault.lowerBound + StrapLink.timeoutSeconds), until: fault.upperBound)
      return next()
    }
    guard due < duration else {
      state = .ended
      return (link.receipt(of: duration), .disconnected(reason: Self.remoteUserTerminated))
    }
    state = .streaming(number + 1, since: since)
    return (link.receipt(of: due), .measured(sensor.frame(at: due)))
  }

  private mutating func end() -> (time: Double, event: StrapEvent)? {
    state = .ended
    return nil
  }
}

/// The radio link between a strap and the host. It determines when the host receives a packet.
///
/// A peripheral can send once per connection interval. A lost packet is repeated in the next interval.
struct StrapLink: Sendable {
  /// The connection interval in units of 1.25 ms.
  static let interval: UInt16 = 36
  /// The supervision timeout in units of 10 ms.
  static let supervisionTimeout: UInt16 = 300
  static let seconds = Double(interval) * 0.00125
  static let timeoutSeconds = Double(supervisionTimeout) * 0.01

  private static let lossProbability = 0.01

  private var random: SplitMix64
  private let anchor: Double
  private var last = 0.0

  init(random: SplitMix64) {
    self.random = random
    anchor = self.random.unit() * Self.seconds
  }

  /// Returns the time, in seconds, at which the host receives a packet that is ready at `time`. Packets are
  /// received in order.
  mutating func receipt(of time: Double) -> Double {
    var event = ((time - anchor) / Self.seconds).rounded(.up) * Self.seconds + anchor
    while random.unit() < Self.lossProbability { event += Self.seconds }
    let latency = random.uniform(in: 0.0002..<0.0008)
    last = max(event + latency, last + 0.00001)
    return last
  }
}
