public import Bluetooth

/// An uninterrupted run of beats: the time of the first beat and the intervals after it.
///
/// Offsets are sums of the strap's ticks of 1/1024 s and therefore exact. Only the start is an estimate,
/// because the Heart Rate Service has no timestamps. Frames arrive late and never early, so the start is
/// the earliest time that any frame of the run allows.
public struct BeatSegment: Hashable, Sendable {
  /// The time of the first beat, at which the first interval begins.
  public var start: ReceiptTime
  /// The receipt of the frame with the first interval.
  public var firstReceipt: ReceiptTime
  /// The number of earlier segments with the same first receipt. It is 0 unless several frames have the
  /// same time, because a recorder's clock is coarse or because they were read together.
  public var ordinal = 0
  /// The receipt of the last frame that was read before the segment was closed. A longer reading has more
  /// information, and may have found that the segment is shorter.
  public var knownUntil: ReceiptTime
  /// Times between beats in ticks of ``unit``; one fewer than there are beats.
  public var intervals: [UInt16]
  /// Whether the strap repeats intervals, so that they claim more time than has passed. None of them counts
  /// as an RR interval.
  public var exceedsTime = false
  /// The unit of ``intervals``, as declared for the monitor.
  public var unit = MonitorSettings.IntervalUnit.standard

  /// The beats in seconds since ``start``: 0 for the first, exact multiples of the unit for the others.
  public var offsets: [Double] {
    var elapsed = 0
    return [0]
      + intervals.map { interval in
        elapsed += Int(interval)
        return unit.seconds(elapsed)
      }
  }
}
