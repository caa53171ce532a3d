/// The state of the wall clock.
public struct ClockFacts: Hashable, Sendable {
  /// The current time in seconds since 1970.
  public var now: Double
  /// Whether the clock is synchronized with a time server; `nil` if unknown.
  public var isSynchronised: Bool?

  public init(now: Double, isSynchronised: Bool? = nil) {
    self.now = now
    self.isSynchronised = isSynchronised
  }
}
