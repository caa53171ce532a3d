/// Where a message stands among all that its sender sent, whoever they were for.
///
/// A client numbers its messages one after another (D-Bus specification, *Header Fields*: the serial), and
/// the bus passes the numbers on. So what comes to us tells how much went to others in between.
public struct SenderPlace: Hashable, Sendable {
  /// The sender's number of the message.
  public var serial: UInt32
  /// How many messages the sender sent, up to this one, that did not come to us: answers to other programs,
  /// calls of the bus, signals that no rule of ours wants. Counted from the first message that came.
  public var unseen: UInt64

  public init(serial: UInt32, unseen: UInt64) {
    self.serial = serial
    self.unseen = unseen
  }

  /// The sender sent nothing between `other` and this.
  public func comesRightAfter(_ other: SenderPlace) -> Bool {
    serial == other.serial &+ 1 && unseen == other.unseen
  }

  /// The place of the message that comes next.
  func next(serial: UInt32) -> SenderPlace {
    // Numbers begin anew after the last; 0 is none.
    let between = serial &- self.serial &- 1
    return SenderPlace(serial: serial, unseen: unseen &+ UInt64(between))
  }
}
