/// The time at which a message was received, and its position among others.
public struct Arrival: Hashable, Comparable, Sendable {
  /// A number that increases with each message of the connection, replies and signals alike. Use it to find
  /// out whether a signal is older than a snapshot.
  public var order: UInt64
  /// CLOCK_BOOTTIME in nanoseconds, which includes suspend. Read once after each read from the socket, before
  /// messages are handled.
  public var boottimeNanoseconds: UInt64
  /// The position among the messages of its sender; `nil` if no match rule names the sender.
  public var place: SenderPlace?

  public init(order: UInt64, boottimeNanoseconds: UInt64, place: SenderPlace? = nil) {
    self.order = order
    self.boottimeNanoseconds = boottimeNanoseconds
    self.place = place
  }

  public static func < (left: Arrival, right: Arrival) -> Bool {
    left.order < right.order
  }
}

/// The position of a message among all messages of its sender, whatever their destination.
///
/// A client numbers its messages consecutively (D-Bus specification, *Header Fields*: the serial), and the
/// bus keeps the numbers. So gaps in the serials show how many messages went to other clients.
public struct SenderPlace: Hashable, Sendable {
  /// The sender's serial of the message.
  public var serial: UInt32
  /// The number of the sender's messages so far at which its state may have changed because of a request:
  /// messages that we did not receive (replies to other clients, calls of the bus, signals that match none of
  /// our rules) and replies to us, also late ones. Replies to a ping do not count. Starts with the first
  /// message received.
  public var dealings: UInt64

  public init(serial: UInt32, dealings: UInt64) {
    self.serial = serial
    self.dealings = dealings
  }

  /// Whether the sender sent no message between `other` and this one.
  public func comesRightAfter(_ other: SenderPlace) -> Bool {
    serial == other.serial &+ 1 && dealings == other.dealings
  }

  /// Returns the position of the next message received.
  ///
  /// - Parameter isDealing: Whether it is a reply to us, other than to a ping.
  func next(serial: UInt32, isDealing: Bool) -> SenderPlace {
    // Serials wrap around.
    let between = serial &- self.serial &- 1
    return SenderPlace(serial: serial, dealings: dealings &+ UInt64(between) &+ (isDealing ? 1 : 0))
  }
}
