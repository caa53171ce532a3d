/// The artifact classification of Lipponen and Tarvainen 2019 (J. Med. Eng. Technol. 43:173–181). It compares
/// each interval with its neighbors, using thresholds that depend on how much the neighboring intervals vary.
///
/// - dRR is the difference from the previous interval, divided by Th1. mRR is the difference from the median
///   of 11 intervals (doubled if negative), divided by Th2. A threshold is α times the quartile deviation of
///   the magnitudes of the 91 surrounding values.
/// - If |dRR| > 1, a beat is *ectopic* if dRR goes down, up, down or up, down, up around it, as delimited by
///   the lines dRR·c1 ± c2. Otherwise the interval is an artifact if dRR reverses within two beats, or if
///   |mRR| > 3. If half of the interval is about as long as the median, a beat was *missed*. If the interval
///   and the next one together are about as long as the median, a beat is *extra*. Otherwise the interval is
///   *long* or *short*.
///
/// The last two intervals of a segment cannot be classified, because too few intervals follow.
///
/// ```swift
/// let findings = LipponenTarvainen().findings(in: segment.intervals)
/// ```
public struct LipponenTarvainen: Hashable, Sendable {
  /// α: the number of quartile deviations in a threshold.
  public var alpha = 5.2
  /// c1: the slope of the lines for ectopic beats.
  public var slope = 0.13
  /// c2: the intercept of the lines for ectopic beats.
  public var intercept = 0.17
  /// The number of surrounding intervals from which a threshold is computed.
  public var thresholdWidth = 91
  /// The number of surrounding intervals from which the median is computed.
  public var medianWidth = 11
  /// The smallest quartile deviation in milliseconds: one tick of 1/1024 s, the resolution of the clock.
  ///
  /// A threshold is never lower than α times this value. The paper has no such limit. Without it, a heart
  /// rhythm that varies by less than one tick, as with a pacemaker, would seem to be full of artifacts.
  public var resolution = RRSegment.tick

  /// Creates a classification with the published parameters.
  public init() {}

  /// An artifact found at a beat. Beats are numbered as in the paper: beat 0 begins the first interval.
  public struct Finding: Hashable, Sendable {
    /// The kind of artifact.
    public let mark: IntervalMark
    /// The number of the wrong beat, or of the beat that ends the wrong interval.
    public let beat: Int

    /// The indices of the affected intervals. Interval *k* ends at beat *k* + 1. The range may extend beyond
    /// the segment.
    public var intervals: ClosedRange<Int> {
      switch mark {
      case .ectopic, .extra: beat - 1...beat
      default: beat - 1...beat - 1
      }
    }
  }
}

extension LipponenTarvainen {
  /// Classifies the beats of one segment.
  ///
  /// - Parameters:
  ///   - intervals: Intervals in milliseconds.
  ///   - limits: The mean of the intervals within these limits replaces the missing interval before the first
  ///     beat.
  /// - Returns: Findings in the order of their beats. The result is empty for fewer than three intervals, or
  ///   if ``RRSegment`` would reject one of the intervals.
  public func findings(in intervals: [Double], limits: RangeLimits = .usual) -> [Finding] {
    guard intervals.count >= 3, intervals.allSatisfy(RRSegment.isPossible(interval:)) else { return [] }
    return classify(Subspaces(of: intervals, limits: limits, by: self))
  }

  private func classify(_ spaces: Subspaces) -> [Finding] {
    let differences = spaces.differences
    var findings: [Finding] = []
    var index = 0
    // The loop follows the flow chart in figure 1 of the paper.
    while index < differences.count - 2 {
      guard abs(differences[index]) > 1 else {
        index += 1
        continue
      }
      if isEctopic(index, spaces) {
        // The intervals before and after the previous beat are wrong, so that beat is the ectopic one.
        if index > 1 { findings.append(Finding(mark: .ectopic, beat: index - 1)) }
        index += 1
        continue
      }
      let isFollowed = abs(differences[index + 1]) < abs(differences[index + 2])
      for candidate in isFollowed ? index...index + 1 : index...index {
        if let mark = mark(of: candidate, spaces), candidate > 0 {
          findings.append(Finding(mark: mark, beat: candidate))
        }
        index += 1
      }
    }
    return findings
  }

  /// Returns whether a beat is ectopic, by the paper's equations 1 and 2: the difference lies between two
  /// differences with the opposite sign.
  private func isEctopic(_ index: Int, _ spaces: Subspaces) -> Bool {
    let (own, other) = (spaces.differences[index], spaces.neighbours[index])
    if own > 1 { return other < -slope * own - intercept }
    if own < -1 { return other > -slope * own + intercept }
    return false
  }

  /// Returns the kind of artifact, other than an ectopic beat, by the paper's equations 3 to 7. Returns `nil`
  /// if the interval is not an artifact.
  private func mark(of index: Int, _ spaces: Subspaces) -> IntervalMark? {
    let (own, following) = (spaces.differences[index], spaces.followers[index])
    let isLong = own > 1 && following < -1
    let isShort = own < -1 && following > 1
    guard isLong || isShort || abs(spaces.deviations[index]) > 3 else { return nil }
    let (interval, median) = (spaces.intervals[index], spaces.medians[index])
    let threshold = spaces.deviationThresholds[index]
    if isShort, abs(interval + spaces.intervals[index + 1] - median) < threshold { return .extra }
    if isLong, abs(interval / 2 - median) < threshold { return .missed }
    return interval > median ? .long : .short
  }
}
