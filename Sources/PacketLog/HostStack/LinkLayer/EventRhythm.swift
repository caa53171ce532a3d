import Bluetooth

/// How far apart the events of a connection are.
///
/// The request that begins the connection states it, and an update may change it unheard. What is heard
/// tells too: a central opens every event, and has nothing to say in most of them.
struct EventRhythm: Sendable {
  /// The sniffer misses events now and then; of so many spaces the least is the interval.
  private static let memory = 4

  /// 4 s, the longest interval there is (Core Specification, Vol 6, Part B, §4.5.1).
  private static let longest: Int64 = 4_000_000
  /// 7.5 ms.
  private static let shortest: Int64 = 7500

  private let stated: Int64?
  private var spaces: InlineArray<4, Int64> = InlineArray(repeating: 0)
  private var count = 0
  private var last: ReceiptTime?

  /// - Parameter stated: The interval that the connection began with, in microseconds.
  init(stated: Int64?) { self.stated = stated.map { min($0, Self.longest) } }

  /// The central opened an event with an empty PDU.
  mutating func beat(at time: ReceiptTime) {
    defer { last = time }
    // A central may send several PDUs in one event.
    guard let last, case let space = time.microseconds(since: last),
      (Self.shortest...Self.longest).contains(space)
    else { return }
    spaces[count % Self.memory] = space
    count = count < Self.memory ? count + 1 : (count + 1) % Self.memory + Self.memory
  }

  /// Microseconds from one event to the next; `nil` where nothing tells.
  var interval: Int64? {
    guard count >= Self.memory else { return stated }
    var least = spaces[0]
    for index in 1..<Self.memory { least = min(least, spaces[index]) }
    return least
  }
}
