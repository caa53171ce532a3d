/// When a message came, and before or after which others.
public struct Arrival: Hashable, Comparable, Sendable {
  /// Strictly increasing over all messages that one connection receives, replies and signals alike: whether a
  /// signal is older than a snapshot is a comparison.
  public var order: UInt64
  /// CLOCK_BOOTTIME, which counts on while the machine sleeps, in nanoseconds; read once for each read from
  /// the socket, right after it and before anything is done with what it brought.
  public var boottimeNanoseconds: UInt64
  /// Where it stands among the messages of its sender; `nil` for one whose name no rule was written with.
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
