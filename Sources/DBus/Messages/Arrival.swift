/// The time at which a message was received, and its position in the sequence of messages.
public struct Arrival: Hashable, Comparable, Sendable {
  /// A number that increases with each received message, whether reply or signal. Use it to determine whether
  /// a signal is older than a snapshot.
  public var order: UInt64
  /// CLOCK_BOOTTIME in nanoseconds, which also counts time that the machine sleeps. It is read once after
  /// each read from the socket, before the messages are handled.
  public var boottimeNanoseconds: UInt64
  /// The position among the messages of its sender; `nil` if no match rule names this sender.
  public var senderPosition: SenderPosition?

  public init(order: UInt64, boottimeNanoseconds: UInt64, senderPosition: SenderPosition? = nil) {
    self.order = order
    self.boottimeNanoseconds = boottimeNanoseconds
    self.senderPosition = senderPosition
  }

  public static func < (left: Arrival, right: Arrival) -> Bool {
    left.order < right.order
  }
}

/// The position of a message among all messages of its sender, including those to other clients.
///
/// Each client numbers its messages consecutively (D-Bus specification, *Header Fields*: the serial number),
/// and the bus preserves the numbers. So a gap in the numbers reveals how many messages went to other
/// clients.
public struct SenderPosition: Hashable, Sendable {
  /// The serial number of the message.
  public var serial: UInt32
  /// The count of the sender's messages that may be a response to a request, and so may reflect a change of
  /// the sender's state. It includes messages that this program did not receive: replies to other clients,
  /// calls of the bus, signals that no match rule selects. It also includes replies to this program, even
  /// late ones, except replies to a ping. It is 0 for the first message received.
  public var responses: UInt64

  public init(serial: UInt32, responses: UInt64) {
    self.serial = serial
    self.responses = responses
  }

  /// Whether the sender sent no message between `other` and this one.
  public func comesRightAfter(_ other: SenderPosition) -> Bool {
    serial == other.serial &+ 1 && responses == other.responses
  }

  /// Returns the position of the next message received.
  ///
  /// - Parameter isResponse: Whether the next message is a reply to this program, but not to a ping.
  func next(serial: UInt32, isResponse: Bool) -> SenderPosition {
    // Serial numbers wrap around after 2³² − 1.
    let between = serial &- self.serial &- 1
    return SenderPosition(serial: serial, responses: responses &+ UInt64(between) &+ (isResponse ? 1 : 0))
  }
}
