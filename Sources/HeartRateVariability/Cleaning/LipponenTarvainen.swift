/// The classification of Lipponen and Tarvainen 2019 (J. Med. Eng. Technol. 43:173–181): each interval is
/// compared with its neighbours, by thresholds that follow how much the heart varies.
///
/// - dRR, the difference from the interval before, is divided by Th1, and mRR, the difference from the median
///   of 11 intervals (doubled where it is negative), by Th2. A threshold is α times the quartile deviation of
///   the magnitudes in the 91 intervals around.
/// - Where |dRR| > 1: a beat is *ectopic* if dRR goes down, up, down or up, down, up about it, by the lines
///   dRR·c1 ± c2. Otherwise the interval is judged by whether dRR turns back within two beats, and by
///   |mRR| > 3: if half of it is a usual interval, a beat was *missed*; if it and the next together are, a
///   beat is *extra*; else it is *long* or *short*.
///
/// The last two intervals of a segment cannot be judged, because nothing follows.
public struct LipponenTarvainen: Hashable, Sendable {
  /// α: how many quartile deviations a threshold is.
  public var alpha = 5.2
  /// c1: the slope of the lines about ectopic beats.
  public var slope = 0.13
  /// c2: where those lines meet the axis.
  public var intercept = 0.17
  /// How many intervals the thresholds are of.
  public var thresholdWidth = 91
  /// How many intervals the median is of.
  public var medianWidth = 11
  /// The quartile deviation, in milliseconds, below which variation is not told from the clock's resolution:
  /// a threshold is never lower than α times this. The paper has no such limit, and without one every heart
  /// that is steadier than the clock, as a paced one is, would be full of artefacts. One tick of 1/1024 s.
  public var resolution = RRSegment.tick

  /// The published parameters.
  public init() {}

  /// What is found, at the beat whose number the paper's index is: beat 0 begins the first interval.
  public struct Finding: Hashable, Sendable {
    public let mark: IntervalMark
    /// The number of the beat that is wrong, or ends the interval that is.
    public let beat: Int

    /// The intervals that it spoils; interval *k* ends at beat *k* + 1. They may reach past the segment.
    public var intervals: ClosedRange<Int> {
      switch mark {
      case .ectopic, .extra: beat - 1...beat
      default: beat - 1...beat - 1
      }
    }
  }
}
