/// Why there is no figure. A measure that cannot be had is refused by name; it is never a number from
/// nothing.
public struct Refusal: Error, Hashable, Sendable {
  /// A name that stays the same, as programs read it.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Fewer NN intervals than the measure needs.
    public static let tooFewIntervals = Reason(rawValue: "too-few-intervals")
    /// Fewer pairs of neighbours than the measure needs.
    public static let tooFewDifferences = Reason(rawValue: "too-few-differences")
    /// NN intervals fill too little of the window. Shares, 0 to 1.
    public static let lowCoverage = Reason(rawValue: "low-coverage")
    /// More heartbeat than time: intervals of one source overlap, so that beats are counted twice. Shares of
    /// the window.
    public static let moreBeatsThanTime = Reason(rawValue: "more-beats-than-time")
    /// Too many of the intervals are artefacts. Shares, 0 to 1.
    public static let tooManyArtefacts = Reason(rawValue: "too-many-artefacts")
    /// The window is shorter than the slowest wave that the measure is of. Seconds.
    public static let windowTooShort = Reason(rawValue: "window-too-short")
    /// The window is longer than the measure makes sense for, or can be computed in. Seconds, or intervals.
    public static let windowTooLong = Reason(rawValue: "window-too-long")
    /// No stretch without a gap or an artefact is as long as the measure needs. Seconds, or intervals.
    public static let noLongStretch = Reason(rawValue: "no-long-stretch")
    /// The segments that are averaged are shorter than the slowest wave that the measure is of. Seconds.
    public static let segmentTooShort = Reason(rawValue: "segment-too-short")
    /// All intervals are alike, and the measure is of how they differ.
    public static let noVariation = Reason(rawValue: "no-variation")
    /// No two stretches resemble each other, so that there is nothing to count.
    public static let noMatches = Reason(rawValue: "no-matches")
    /// Too few windows have a figure of their own.
    public static let tooFewWindows = Reason(rawValue: "too-few-windows")
    /// Heart rates are missing where the measure needs them. Shares or seconds.
    public static let noHeartRate = Reason(rawValue: "no-heart-rate")
    /// The heart rate did not fall. Beats per minute.
    public static let noRecovery = Reason(rawValue: "no-recovery")
  }

  public let reason: Reason
  /// What was there, in the unit that the reason names.
  public let found: Double
  /// What is needed: the least of it, or the most.
  public let needed: Double

  init(_ reason: Reason, found: Double = 0, needed: Double = 0) {
    self.reason = reason
    self.found = found
    self.needed = needed
  }
}

extension Refusal: CustomStringConvertible {
  public var description: String { "\(reason.rawValue): \(found) where \(needed) is the limit" }
}
