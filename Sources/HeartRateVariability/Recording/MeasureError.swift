/// The reason why a measure cannot be computed.
///
/// ```swift
/// do {
///   print(try series.timeDomain().rmssd)
/// } catch {
///   print(error.reason.rawValue, error.found, error.needed)
/// }
/// ```
public struct MeasureError: Error, Hashable, Sendable {
  /// The stable name of a reason, for programs.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// There are fewer NN intervals than the measure needs.
    public static let tooFewIntervals = Reason(rawValue: "too-few-intervals")
    /// There are fewer pairs of neighbors than the measure needs.
    public static let tooFewDifferences = Reason(rawValue: "too-few-differences")
    /// NN intervals cover too little of the window. Fractions, 0 to 1.
    public static let lowCoverage = Reason(rawValue: "low-coverage")
    /// Intervals of one source overlap, so that beats are counted twice. Fractions of the window.
    public static let moreBeatsThanTime = Reason(rawValue: "more-beats-than-time")
    /// Too many of the intervals are artifacts. Fractions, 0 to 1.
    public static let tooManyArtefacts = Reason(rawValue: "too-many-artefacts")
    /// The window is shorter than the slowest wave of the measure. Seconds.
    public static let windowTooShort = Reason(rawValue: "window-too-short")
    /// The window is too long for a meaningful result or for the computation. Seconds, or intervals.
    public static let windowTooLong = Reason(rawValue: "window-too-long")
    /// No stretch without a gap or an artifact is as long as the measure needs. Seconds, or intervals.
    public static let noLongStretch = Reason(rawValue: "no-long-stretch")
    /// The averaged segments are shorter than the slowest wave of the measure. Seconds.
    public static let segmentTooShort = Reason(rawValue: "segment-too-short")
    /// All intervals are equal, but the measure describes their variation.
    public static let noVariation = Reason(rawValue: "no-variation")
    /// No two sequences are similar, so there is nothing to count.
    public static let noMatches = Reason(rawValue: "no-matches")
    /// Too few windows have a value.
    public static let tooFewWindows = Reason(rawValue: "too-few-windows")
    /// Heart rates are missing in the time that the measure needs. Fractions or seconds.
    public static let noHeartRate = Reason(rawValue: "no-heart-rate")
    /// The heart rate did not decrease. The values found and needed are in beats per minute.
    public static let noRecovery = Reason(rawValue: "no-recovery")
  }

  /// Why the measure cannot be computed.
  public let reason: Reason
  /// The value found, in the unit of the reason.
  public let found: Double
  /// The minimum or maximum value needed.
  public let needed: Double

  init(_ reason: Reason, found: Double = 0, needed: Double = 0) {
    self.reason = reason
    self.found = found
    self.needed = needed
  }
}

extension MeasureError: CustomStringConvertible {
  public var description: String { "\(reason.rawValue): \(found) where \(needed) is the limit" }
}
