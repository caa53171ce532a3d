/// When a message was received, and its position among the others.
public struct Arrival: Hashable, Comparable, Sendable {
  /// Strictly increasing over all messages that one connection receives, replies and signals alike. Comparing
  /// it tells whether a signal is older than a snapshot.
  public var order: UInt64
  /// CLOCK_BOOTTIME in nanoseconds, which includes suspend. Read once for each read from the socket, right
  /// after it and before any message is handled.
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
/// bus keeps the numbers. So gaps in the serials tell how many messages went to other clients.
public struct SenderPlace: Hashable, Sendable {
  /// The sender's serial of the message.
  public var serial: UInt32
  /// The number of messages of the sender, up to this one, by which it may have acted on a request: messages
  /// that did not come to us (answers to other programs, calls of the bus, signals without a rule of ours)
  /// and its answers to us, awaited or too late. Answers to a ping do not count. Counted from the first
  /// message received.
  public var dealings: UInt64

  public init(serial: UInt32, dealings: UInt64) {
    self.serial = serial
    self.dealings = dealings
  }

  /// The sender sent nothing between `other` and this.
  public func comesRightAfter(_ other: SenderPlace) -> Bool {
    serial == other.serial &+ 1 && dealings == other.dealings
  }

  /// The position of the next message received.
  ///
  /// - Parameter isDealing: It is an answer to us, and not to a ping.
  func next(serial: UInt32, isDealing: Bool) -> SenderPlace {
    // Serials wrap around.
    let between = serial &- self.serial &- 1
    return SenderPlace(serial: serial, dealings: dealings &+ UInt64(between) &+ (isDealing ? 1 : 0))
  }
}
