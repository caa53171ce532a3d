/// How a sample must lie to a time window [A, B).
///
/// Without an option it must overlap the window: start before B, end at A or later.
public struct HKQueryOptions: OptionSet, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// A ≤ start < B.
  public static let strictStartDate = HKQueryOptions(rawValue: 1)
  /// A ≤ end < B.
  public static let strictEndDate = HKQueryOptions(rawValue: 2)
}
