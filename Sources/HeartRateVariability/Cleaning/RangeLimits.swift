/// The RR intervals that a heart can have, in milliseconds. Whatever is outside is an artefact, however
/// steady.
public struct RangeLimits: Hashable, Sendable {
  /// 300 to 2,000 ms: heart rates of 30 to 200 beats per minute. For maximal effort of the young, take 250.
  public static let usual = RangeLimits(shortest: 300, longest: 2000)

  public var shortest: Double
  public var longest: Double

  public init(shortest: Double, longest: Double) {
    self.shortest = shortest
    self.longest = longest
  }

  /// A millisecond: less is never a heart's interval, whatever the limits.
  static let least = 1.0

  func contains(_ interval: Double) -> Bool {
    interval >= Self.least && interval >= shortest && interval <= longest
  }
}
