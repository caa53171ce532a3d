import Bluetooth

/// Compares what a strap's intervals add up to with the time that has passed, over the stretches in which nothing
/// interrupted them. A strap that sends milliseconds instead of 1/1024 s is 2.3 % below.
struct IntervalRatio {
  /// What a crystal cannot explain.
  static let greatestDeviation = 0.003
  /// Shorter stretches say little, in microseconds.
  static let leastStretch: Int64 = 60_000_000
  /// No deviation is reported before this much time, in microseconds.
  static let leastTime: Int64 = 180_000_000

  private struct Stretch {
    let start: ReceiptTime
    var end: ReceiptTime
    /// Ticks since the first frame.
    var ticks: Int64 = 0
    var count: Int64 = 0

    var elapsed: Int64 { end.microseconds(since: start) }
    var claimed: Int64 { ticks * 15_625 / 16 }
    /// The newest beat of a frame is up to an interval old at both ends, and the radio is late.
    var uncertainty: Int64 { count > 0 ? claimed / count * 3 / 2 + 500_000 : 0 }
  }

  private var stretch: Stretch?
  private var elapsed: Int64 = 0
  private var claimed: Int64 = 0
  private var uncertainty: Int64 = 0

  mutating func receive(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    if let last = stretch?.end, receipt < last { interrupt() }
    guard var stretch else {
      if !intervals.isEmpty { stretch = Stretch(start: receipt, end: receipt) }
      return
    }
    guard !intervals.isEmpty else { return }
    for index in intervals.indices { stretch.ticks += Int64(intervals[index]) }
    stretch.count += Int64(intervals.count)
    stretch.end = receipt
    self.stretch = stretch
  }

  /// Frames may be missing: what comes next is another stretch.
  mutating func interrupt() {
    if let stretch, stretch.elapsed >= Self.leastStretch {
      elapsed += stretch.elapsed
      claimed += stretch.claimed
      uncertainty += stretch.uncertainty
    }
    stretch = nil
  }

  /// Intervals by time, if they deviate from 1 by more than can be explained and for minutes; else nil.
  var deviating: Double? {
    var all = self
    all.interrupt()
    guard all.elapsed >= Self.leastTime else { return nil }
    let least = Double(abs(all.claimed - all.elapsed) - all.uncertainty) / Double(all.elapsed)
    return least > Self.greatestDeviation ? Double(all.claimed) / Double(all.elapsed) : nil
  }
}
