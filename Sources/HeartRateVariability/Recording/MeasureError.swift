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

    /// There are fewer NN intervals than the measure requires.
    public static let tooFewIntervals = Reason(rawValue: "too-few-intervals")
    /// There are fewer pairs of consecutive NN intervals than the measure requires.
    public static let tooFewDifferences = Reason(rawValue: "too-few-differences")
    /// NN intervals cover too little of the window. The values found and needed are fractions, 0 to 1.
    public static let lowCoverage = Reason(rawValue: "low-coverage")
    /// Intervals of one source overlap in time, so beats would be counted twice. The values found and needed
    /// are fractions of the window.
    public static let moreBeatsThanTime = Reason(rawValue: "more-beats-than-time")
    /// Too many intervals are artifacts. The values found and needed are fractions, 0 to 1.
    public static let tooManyArtefacts = Reason(rawValue: "too-many-artefacts")
    /// The window is shorter than the period of the slowest wave that the measure includes. The values found
    /// and needed are seconds.
    public static let windowTooShort = Reason(rawValue: "window-too-short")
    /// The window is too long for a meaningful result or for the computation. The values found and needed are
    /// seconds, or numbers of intervals.
    public static let windowTooLong = Reason(rawValue: "window-too-long")
    /// No part of the window without a gap or an artifact is as long as the measure requires. The values
    /// found and needed are seconds, or numbers of intervals.
    public static let noLongStretch = Reason(rawValue: "no-long-stretch")
    /// The averaged segments are shorter than the period of the slowest wave that the measure includes. The
    /// values found and needed are seconds.
    public static let segmentTooShort = Reason(rawValue: "segment-too-short")
    /// All intervals are equal, so a measure of their variation is not defined.
    public static let noVariation = Reason(rawValue: "no-variation")
    /// No two sequences of intervals are similar, so sample entropy is not defined.
    public static let noMatches = Reason(rawValue: "no-matches")
    /// Too few windows have a value, so the measure over all windows is not defined.
    public static let tooFewWindows = Reason(rawValue: "too-few-windows")
    /// The heart rate is not known for part of the required time. The values found and needed are fractions
    /// or seconds.
    public static let noHeartRate = Reason(rawValue: "no-heart-rate")
    /// The heart rate did not decrease. The values found and needed are in beats per minute.
    public static let noRecovery = Reason(rawValue: "no-recovery")
  }

  /// Why the measure cannot be computed.
  public let reason: Reason
  /// The value found, in the unit that the reason documents.
  public let found: Double
  /// The minimum or maximum that the measure requires, in the same unit.
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
