import Bluetooth

/// Compares the sum of a strap's intervals with the time that passed, over stretches without an interruption.
/// A strap that sends milliseconds instead of 1/1024 s is 2.3 % below.
struct IntervalRatio {
  /// The greatest deviation that a crystal explains.
  static let greatestDeviation = 0.003
  /// The least length of a stretch that is counted, in microseconds.
  static let leastStretch: Int64 = 60_000_000
  /// The least time after which a deviation is reported, in microseconds.
  static let leastTime: Int64 = 180_000_000

  /// How long frames that were queued before a stretch may keep it from beginning, in microseconds.
  static let queueTime: Int64 = 10_000_000

  private struct Stretch {
    let unit: MonitorSettings.IntervalUnit
    let start: ReceiptTime
    var end: ReceiptTime
    /// Ticks since the first frame.
    var ticks: Int64 = 0
    var count: Int64 = 0

    var elapsed: Int64 { end.microseconds(since: start) }
    var claimed: Int64 { unit.microseconds(ticks) }
    /// At both ends the newest beat is up to an interval old, and the frame may be late.
    var uncertainty: Int64 { count > 0 ? claimed / count * 3 / 2 + 500_000 : 0 }
  }

  private let intervalUnit: MonitorSettings.IntervalUnit
  private var stretch: Stretch?
  private var elapsed: Int64 = 0
  private var claimed: Int64 = 0
  private var uncertainty: Int64 = 0

  init(intervalUnit: MonitorSettings.IntervalUnit = .standard) { self.intervalUnit = intervalUnit }

  mutating func receive(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    if let last = stretch?.end, receipt < last { interrupt() }
    guard var stretch else {
      if !intervals.isEmpty { stretch = Stretch(unit: intervalUnit, start: receipt, end: receipt) }
      return
    }
    guard !intervals.isEmpty else { return }
    for index in intervals.indices { stretch.ticks += Int64(intervals[index]) }
    stretch.count += Int64(intervals.count)
    stretch.end = receipt
    // Frames that were queued before the stretch began arrive at once: their time is before its start.
    if stretch.elapsed < Self.queueTime, stretch.claimed - stretch.elapsed > stretch.uncertainty {
      stretch = Stretch(unit: intervalUnit, start: receipt, end: receipt)
    }
    self.stretch = stretch
  }

  /// Ends the stretch, because frames may be missing.
  mutating func interrupt() {
    if let stretch, stretch.elapsed >= Self.leastStretch {
      elapsed += stretch.elapsed
      claimed += stretch.claimed
      uncertainty += stretch.uncertainty
    }
    stretch = nil
  }

  /// The sum of the intervals divided by the time that passed, if the two deviate for minutes by more than
  /// delays explain.
  var deviation: Double? {
    var all = self
    all.interrupt()
    guard all.elapsed >= Self.leastTime else { return nil }
    let least = Double(abs(all.claimed - all.elapsed) - all.uncertainty) / Double(all.elapsed)
    return least > Self.greatestDeviation ? Double(all.claimed) / Double(all.elapsed) : nil
  }
}
