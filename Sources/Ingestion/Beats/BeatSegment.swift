public import Bluetooth

/// An uninterrupted run of beats: a first beat, and the intervals that follow it.
///
/// Offsets are sums of the strap's own ticks of 1/1024 s and therefore exact. Only the start is an estimate,
/// because the Heart Rate Service carries no time; the radio delays a frame and never hastens it, so it is
/// the earliest time that any frame of the run allows.
public struct BeatSegment: Hashable, Sendable {
  /// The time of the first beat, which is where the first interval begins.
  public var start: ReceiptTime
  /// The receipt of the frame that held the first interval.
  public var firstReceipt: ReceiptTime
  /// How many earlier segments have the same first receipt: 0, unless frames have equal times because the
  /// clock of a recorder is coarse or because they were read together.
  public var ordinal = 0
  /// The receipt of the last frame that was read when the segment was closed: a longer reading knows more,
  /// and may have found that the segment is in truth shorter.
  public var knownUntil: ReceiptTime
  /// Times from beat to beat in ticks of ``unit``; one fewer than there are beats.
  public var intervals: [UInt16]
  /// Whether the strap repeats intervals, so that they claim more time than has passed. None of them counts
  /// as an RR interval.
  public var exceedsTime = false
  public var unit = MonitorSettings.IntervalUnit.standard

  /// The beats as seconds since ``start``: 0 for the first, exact multiples of the unit for the others.
  public var offsets: [Double] {
    var elapsed = 0
    return [0]
      + intervals.map { interval in
        elapsed += Int(interval)
        return unit.seconds(elapsed)
      }
  }
}
