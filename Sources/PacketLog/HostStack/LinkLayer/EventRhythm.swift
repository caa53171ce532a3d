import Bluetooth

/// Estimates the connection interval of a captured connection.
///
/// The connection request contains the interval, but the sniffer may miss a later change. Empty PDUs also
/// reveal it, because the central sends a PDU in each connection event, and most of them are empty.
struct EventRhythm: Sendable {
  /// The number of recent times between two connection events that are compared. The sniffer misses some
  /// events, so the shortest time is the interval.
  private static let memory = 4

  /// Longest connection interval in microseconds: 4 s (Core Specification, Vol 6, Part B, §4.5.1).
  private static let longest: Int64 = 4_000_000
  /// Shortest connection interval in microseconds: 7.5 ms.
  private static let shortest: Int64 = 7500

  private let stated: Int64?
  private var spaces: InlineArray<4, Int64> = InlineArray(repeating: 0)
  private var count = 0
  private var last: ReceiptTime?

  /// - Parameter stated: The interval in the connection request, in microseconds; `nil` if unknown.
  init(stated: Int64?) { self.stated = stated.map { min($0, Self.longest) } }

  /// Records that the central started a connection event with an empty PDU.
  mutating func beat(at time: ReceiptTime) {
    defer { last = time }
    // If the time is shorter than any interval, both PDUs belong to the same event.
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
