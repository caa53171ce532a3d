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

  /// Without a branch for each: nearly always they all are.
  func containAll(_ intervals: [Double]) -> Bool {
    // A limit that is no number contains nothing.
    guard !shortest.isNaN, !longest.isNaN else { return intervals.isEmpty }
    let least = max(Self.least, shortest)
    let outside = intervals.sum { values in
      SIMD4(repeating: 0).replacing(with: 1, where: (values .< least) .| (values .> longest))
    }
    return outside == 0
  }
}
