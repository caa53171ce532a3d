/// Where a message stands among all that its sender sent, whoever they were for.
///
/// A client numbers its messages one after another (D-Bus specification, *Header Fields*: the serial), and
/// the bus passes the numbers on. So what comes to us tells how much went to others in between.
public struct SenderPlace: Hashable, Sendable {
  /// The sender's number of the message.
  public var serial: UInt32
  /// How many messages the sender sent, up to this one, by which it may have done what somebody asked of it.
  /// Those are the messages that did not come to us (answers to other programs, calls of the bus, signals
  /// that no rule of ours wants), and its answers to us, awaited or too late; but not those to a ping, which
  /// changes nothing. Counted from the first message that came.
  public var dealings: UInt64

  public init(serial: UInt32, dealings: UInt64) {
    self.serial = serial
    self.dealings = dealings
  }

  /// The sender sent nothing between `other` and this.
  public func comesRightAfter(_ other: SenderPlace) -> Bool {
    serial == other.serial &+ 1 && dealings == other.dealings
  }

  /// The place of the message that comes next.
  ///
  /// - Parameter isDealing: It is an answer to us, and not to a ping.
  func next(serial: UInt32, isDealing: Bool) -> SenderPlace {
    // Numbers begin anew after the last; 0 is none.
    let between = serial &- self.serial &- 1
    return SenderPlace(serial: serial, dealings: dealings &+ UInt64(between) &+ (isDealing ? 1 : 0))
  }
}
