import Bluetooth

/// Compares the sum of a strap's intervals with the elapsed time, to detect a wrong unit. If a strap sends
/// milliseconds instead of 1/1024 s, the sum is 2.3 % too small.
///
/// Only the last ``window`` is used, so that the intervals before a firmware update soon stop counting.
struct IntervalRatio {
  /// The greatest relative difference that an inaccurate oscillator can explain.
  static let greatestDeviation = 0.003
  /// Minimum length of an uninterrupted period, in microseconds. Longer periods are split into pieces of this
  /// length.
  static let leastStretch: Int64 = 60_000_000
  /// Minimum total duration from which a difference is reported, in microseconds.
  static let leastTime: Int64 = 180_000_000
  /// The total duration of the measured periods that are kept, in microseconds. Older periods are dropped.
  static let window: Int64 = 600_000_000

  /// How long queued measurement frames may arrive at the start of a connection, in microseconds.
  static let queueTime: Int64 = 10_000_000

  /// An uninterrupted period, or ``leastStretch`` of a longer one.
  private struct Piece {
    let unit: MonitorSettings.IntervalUnit
    let start: ReceiptTime
    var end: ReceiptTime
    /// Whether this period begins with the last measurement frame of the previous one.
    var isContinued = false
    /// The sum of the intervals since the first measurement frame, in ticks.
    var ticks: Int64 = 0
    var count: Int64 = 0

    var elapsed: Int64 { end.microseconds(since: start) }
    var claimed: Int64 { unit.microseconds(ticks) }
    // The maximum error of the intervals' sum, in microseconds: at both ends, the last beat may be up to one
    // interval old, and the measurement frame may be late.
    var uncertainty: Int64 { count > 0 ? claimed / count * 3 / 2 + 500_000 : 0 }
  }

  private let intervalUnit: MonitorSettings.IntervalUnit
  /// The uninterrupted period that is currently measured; `nil` after an interruption.
  private var piece: Piece?
  /// The periods that have been measured, oldest first.
  private var pieces: [Piece] = []

  init(intervalUnit: MonitorSettings.IntervalUnit = .standard) { self.intervalUnit = intervalUnit }

  mutating func receive(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    if let last = piece?.end, receipt < last { interrupt() }
    guard !intervals.isEmpty else { return }
    guard var piece else {
      self.piece = Piece(unit: intervalUnit, start: receipt, end: receipt)
      return
    }
    for index in intervals.indices { piece.ticks += Int64(intervals[index]) }
    piece.count += Int64(intervals.count)
    piece.end = receipt
    if piece.elapsed >= Self.leastStretch {
      count(piece)
      piece = Piece(unit: intervalUnit, start: receipt, end: receipt, isContinued: true)
    } else if !piece.isContinued, piece.elapsed < Self.queueTime,
      piece.claimed - piece.elapsed > piece.uncertainty
    {
      // At the start of a connection, queued measurement frames arrive at once. Their intervals are from
      // before `start`, so begin to measure again.
      piece = Piece(unit: intervalUnit, start: receipt, end: receipt)
    }
    self.piece = piece
  }

  /// Ends the current period, because measurement frames may be missing.
  mutating func interrupt() {
    if let piece, piece.isContinued, piece.count > 0 { count(piece) }
    piece = nil
  }

  private mutating func count(_ piece: Piece) {
    pieces.append(piece)
    var elapsed = pieces.reduce(0) { $0 + $1.elapsed }
    while let first = pieces.first, elapsed - first.elapsed >= Self.window {
      elapsed -= first.elapsed
      pieces.removeFirst()
    }
  }

  /// The sum of the intervals divided by the elapsed time; `nil` unless the two have differed for minutes by
  /// more than delays can explain.
  var deviation: Double? {
    var all = self
    all.interrupt()
    let elapsed = all.pieces.reduce(0) { $0 + $1.elapsed }
    let claimed = all.pieces.reduce(0) { $0 + $1.claimed }
    guard elapsed >= Self.leastTime else { return nil }
    // If one period continues another, the uncertainties at their common end cancel each other out.
    let uncertainty = all.pieces.indices.reduce(0) { sum, index in
      index > 0 && all.pieces[index].isContinued ? sum : sum + all.pieces[index].uncertainty
    }
    let least = Double(abs(claimed - elapsed) - uncertainty) / Double(elapsed)
    return least > Self.greatestDeviation ? Double(claimed) / Double(elapsed) : nil
  }
}
