/// What is known of the wall clock.
public struct ClockFacts: Hashable, Sendable {
  /// Seconds since 1970.
  public var now: Double
  /// It follows a time server; `nil` where nobody says.
  public var isSynchronised: Bool?

  public init(now: Double, isSynchronised: Bool? = nil) {
    self.now = now
    self.isSynchronised = isSynchronised
  }
}
