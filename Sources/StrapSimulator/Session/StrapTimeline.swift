import Bluetooth

/// All that happens with one strap, lazily and in order.
struct StrapTimeline: Sequence, IteratorProtocol, Sendable {
  /// When a strap ends a connection of its own (Core Specification, Vol 1, Part F, §2.17), and when the radio
  /// loses one (§2.6).
  private static let remoteUserTerminated: UInt8 = 0x13
  private static let connectionTimeout: UInt8 = 0x08
  /// How far a strap's crystal may be off.
  private static let crystalTolerance = 40e-6

  private enum State {
    case advertising(at: Double)
    case connecting(at: Double)
    case asking(Int, at: Double)
    case answering(Int, at: Double)
    /// The number of the next frame, counted from `since`.
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

  /// The next event and its time, in seconds since the simulation began.
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
      // The host learns of it when nothing came for the supervision timeout.
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
