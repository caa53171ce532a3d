/// The time at which the host received data. The Heart Rate Service has no time of its own.
///
/// Wall time in whole microseconds since 1970-01-01 00:00 UTC. Every packet-log format can store it exactly.
public struct ReceiptTime: Hashable, Comparable, Sendable {
  public var microsecondsSince1970: Int64

  public init(microsecondsSince1970: Int64) { self.microsecondsSince1970 = microsecondsSince1970 }

  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.microsecondsSince1970 < rhs.microsecondsSince1970
  }

  /// Microseconds from `earlier` to this time; negative after a clock step backwards.
  public func microseconds(since earlier: Self) -> Int64 {
    microsecondsSince1970 &- earlier.microsecondsSince1970
  }
}
