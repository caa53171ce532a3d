/// How long to wait before the next attempt: longer each time, up to a limit, and not the same for everybody.
public struct BackOff: Hashable, Sendable {
  public var first: Duration
  public var longest: Duration
  /// By how much each delay is longer than the one before.
  public var factor: Double
  /// The part of a delay that is up to chance, 0 to 1: with 0.5 a delay is between half of it and all of it.
  public var jitter: Double
  /// How long a connection must have lasted for the delays to begin anew.
  public var steadyAfter: Duration
  private var next: Duration?

  public init(
    first: Duration = .milliseconds(250), longest: Duration = .seconds(30), factor: Double = 2,
    jitter: Double = 0.5, steadyAfter: Duration = .seconds(10)
  ) {
    self.first = first
    self.longest = longest
    self.factor = factor
    self.jitter = jitter
    self.steadyAfter = steadyAfter
  }

  /// - Parameter random: from 0 up to 1.
  public mutating func delay(random: Double) -> Duration {
    let whole = min(next ?? first, longest)
    next = min(whole * factor, longest)
    return whole * (1 - jitter * random)
  }

  public mutating func reset() {
    next = nil
  }
}
