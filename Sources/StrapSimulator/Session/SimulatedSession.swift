import Bluetooth

/// The events of several simulated straps in chronological order.
///
/// With the same straps, seed, duration and start, the events are the same on every machine.
struct SimulatedSession: Sequence, Sendable {
  struct Event: Sendable {
    /// The strap's index in ``SimulatedSession/straps``.
    var strap: Int
    var time: ReceiptTime
    var event: StrapEvent
  }

  let straps: [StrapProfile]
  let duration: Double
  let seed: UInt64
  let start: ReceiptTime

  init(straps: [StrapProfile], duration: Duration, seed: UInt64, start: ReceiptTime) {
    self.straps = straps
    self.duration = duration / .seconds(1)
    self.seed = seed
    self.start = start
  }

  func makeIterator() -> Iterator { Iterator(self) }

  struct Iterator: IteratorProtocol, Sendable {
    private let start: ReceiptTime
    private var timelines: [StrapTimeline]
    private var heads: [(time: Double, event: StrapEvent)?]

    init(_ session: SimulatedSession) {
      start = session.start
      timelines = session.straps.enumerated().map { index, strap in
        var seeds = SplitMix64(seed: session.seed, stream: UInt64(index))
        return StrapTimeline(strap, seed: seeds.next(), duration: session.duration)
      }
      heads = []
      for index in timelines.indices { heads.append(timelines[index].next()) }
    }

    mutating func next() -> Event? {
      var earliest: (index: Int, time: Double)?
      for (index, head) in heads.enumerated() {
        guard let head, earliest.map({ head.time < $0.time }) ?? true else { continue }
        earliest = (index, head.time)
      }
      guard let (index, time) = earliest, let head = heads[index] else { return nil }
      heads[index] = timelines[index].next()
      let microseconds = Int64((time * 1_000_000).rounded())
      return Event(
        strap: index,
        time: ReceiptTime(microsecondsSince1970: start.microsecondsSince1970 &+ microseconds),
        event: head.event)
    }
  }
}

/// An event of a strap, as the host sees it.
enum StrapEvent: Sendable {
  case advertised
  case connected
  case requested([UInt8])
  /// A response. If it completes reading a value, `read` is that value.
  case responded([UInt8], read: (characteristic: BluetoothUUID, value: AttributeValue)?)
  /// A measurement. The first one follows all requests of the connection.
  case measured(HeartRateMeasurement)
  /// The controller's reason code (Core Specification, Vol 1, Part F).
  case disconnected(reason: UInt8)
}
