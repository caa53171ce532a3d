import Bluetooth

/// Compares the sum of a strap's intervals with the elapsed time, over periods without an interruption. A
/// strap that sends milliseconds instead of 1/1024 s is 2.3 % below.
///
/// Only the last ``window`` counts, so that a new firmware or a replaced strap is judged by its current
/// intervals.
struct IntervalRatio {
  /// The greatest deviation that a crystal explains.
  static let greatestDeviation = 0.003
  /// The least length of a stretch that is counted, in microseconds.
  static let leastStretch: Int64 = 60_000_000
  /// The least time after which a deviation is reported, in microseconds.
  static let leastTime: Int64 = 180_000_000
  /// The length of the counted stretches that are remembered, in microseconds.
  static let window: Int64 = 600_000_000

  /// Maximum time, in microseconds, for which frames that were queued before a period can delay its start.
  static let queueTime: Int64 = 10_000_000

  /// A period, or ``leastStretch`` of a longer one.
  private struct Piece {
    let unit: MonitorSettings.IntervalUnit
    let start: ReceiptTime
    var end: ReceiptTime
    /// Whether it begins with the frame that ends the piece before it.
    var isContinued = false
    /// Ticks since the first frame.
    var ticks: Int64 = 0
    var count: Int64 = 0

    var elapsed: Int64 { end.microseconds(since: start) }
    var claimed: Int64 { unit.microseconds(ticks) }
    // At both ends the newest beat is up to an interval old, and the frame may be late.
    var uncertainty: Int64 { count > 0 ? claimed / count * 3 / 2 + 500_000 : 0 }
  }

  private let intervalUnit: MonitorSettings.IntervalUnit
  /// The piece in progress.
  private var piece: Piece?
  /// The counted pieces, oldest first.
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
      // Frames that were queued before the period began arrive at once. Their time is before its start.
      piece = Piece(unit: intervalUnit, start: receipt, end: receipt)
    }
    self.piece = piece
  }

  /// Ends the period, because frames may be missing.
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

  /// The sum of the intervals divided by the elapsed time, if the two have differed for minutes by more
  /// than delays explain.
  var deviation: Double? {
    var all = self
    all.interrupt()
    let elapsed = all.pieces.reduce(0) { $0 + $1.elapsed }
    let claimed = all.pieces.reduce(0) { $0 + $1.claimed }
    guard elapsed >= Self.leastTime else { return nil }
    // Within a period the ends of its pieces cancel each other out.
    let uncertainty = all.pieces.indices.reduce(0) { sum, index in
      index > 0 && all.pieces[index].isContinued ? sum : sum + all.pieces[index].uncertainty
    }
    let least = Double(abs(claimed - elapsed) - uncertainty) / Double(elapsed)
    return least > Self.greatestDeviation ? Double(claimed) / Double(elapsed) : nil
  }
}
