/// Computes the delays between retries: exponential backoff with jitter. The delays grow by a factor up to a
/// maximum, and each is shortened by a random amount.
public struct BackOff: Hashable, Sendable {
  public var first: Duration
  public var longest: Duration
  /// The ratio of a delay to the previous one.
  public var factor: Double
  /// The largest random reduction of a delay, from 0 to 1. With 0.5, a delay is shortened by up to half.
  public var jitter: Double
  /// How long a connection must last for the delays to restart at `first`.
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

  /// Returns the delay before the next retry.
  ///
  /// - Parameter random: A random number from 0 up to 1.
  public mutating func delay(random: Double) -> Duration {
    let whole = min(next ?? first, longest)
    next = min(whole * factor, longest)
    return whole * (1 - jitter * random)
  }

  public mutating func reset() {
    next = nil
  }
}
