public import Bluetooth

/// Consecutive beats, none of them missing: the time of the first beat and the intervals after it.
///
/// The times between beats are sums of the strap's ticks of 1/1024 s and therefore exact. Only the start is
/// an estimate, because the Heart Rate Service does not transmit times. Frames arrive late but never early,
/// so the start is the earliest time that the measurement frames allow.
public struct BeatSegment: Hashable, Sendable {
  /// The time of the first beat, at which the first interval begins.
  public var start: ReceiptTime
  /// The receipt time of the measurement frame that contains the first interval.
  public var firstReceipt: ReceiptTime
  /// The number of earlier segments with the same ``firstReceipt``. It is 0 unless several measurement frames
  /// have the same receipt time, because they were read together or the recorder's clock is coarse.
  public var ordinal = 0
  /// The receipt time of the last measurement frame that was considered. If the same recording is read again
  /// with more frames, the segment may turn out to be shorter; the result with the later time is the correct
  /// one.
  public var knownUntil: ReceiptTime
  /// The times between beats, in ticks of ``unit``. There is one fewer than there are beats.
  public var intervals: [UInt16]
  /// Whether the strap sent intervals repeatedly, so that their sum exceeds the elapsed time. If so, none of
  /// them is an RR interval.
  public var exceedsTime = false
  /// The unit of ``intervals``, as declared by the user for the monitor.
  public var unit = MonitorSettings.IntervalUnit.standard

  /// The times of the beats in seconds since ``start``: 0 for the first, exact multiples of the unit for the
  /// others.
  public var offsets: [Double] {
    var elapsed = 0
    return [0]
      + intervals.map { interval in
        elapsed += Int(interval)
        return unit.seconds(elapsed)
      }
  }
}
