import Bluetooth

/// Estimates the connection interval.
///
/// The connection request states it, but the sniffer may miss a later update. Empty PDUs show it too: the
/// central sends a PDU in every connection event, and most of them are empty.
struct EventRhythm: Sendable {
  /// Number of spaces to compare. The sniffer misses some events, so the shortest space is the interval.
  private static let memory = 4

  /// Longest connection interval in microseconds: 4 s (Core Specification, Vol 6, Part B, §4.5.1).
  private static let longest: Int64 = 4_000_000
  /// Shortest connection interval in microseconds: 7.5 ms.
  private static let shortest: Int64 = 7500

  private let stated: Int64?
  private var spaces: InlineArray<4, Int64> = InlineArray(repeating: 0)
  private var count = 0
  private var last: ReceiptTime?

  /// - Parameter stated: The interval in the connection request, in microseconds.
  init(stated: Int64?) { self.stated = stated.map { min($0, Self.longest) } }

  /// Records a connection event that the central opened with an empty PDU.
  mutating func beat(at time: ReceiptTime) {
    defer { last = time }
    // A space shorter than an interval is between two PDUs of the same event.
    guard let last, case let space = time.microseconds(since: last),
      (Self.shortest...Self.longest).contains(space)
    else { return }
    spaces[count % Self.memory] = space
    count = count < Self.memory ? count + 1 : (count + 1) % Self.memory + Self.memory
  }

  /// The connection interval in microseconds, or `nil` if it is unknown.
  var interval: Int64? {
    guard count >= Self.memory else { return stated }
    var least = spaces[0]
    for index in 1..<Self.memory { least = min(least, spaces[index]) }
    return least
  }
}
