import Bluetooth

/// Places beats in time from RR intervals and the receipt times of the frames that carry them.
///
/// Why not simply count back from each receipt: the beats would jump by the radio's delay. Instead, inside an
/// uninterrupted segment a beat stands at *anchor + the ticks so far*, where the anchor is the lower envelope
/// of `receipt − ticks`: frames come late by differing amounts and never early.
///
/// What ends a segment:
/// - a call of ``interrupt()``: a link loss, lost contact, a recorder that dropped packets;
/// - a receipt time that steps back, or intervals that claim more time than has passed;
/// - intervals that explain too little of the time that has passed, for several frames on end: beats are
///   missing, and the gap stands where the lag rose for good. A single late frame is only a slow radio.
///
/// A segment is handed out in parts of ``maximumIntervals`` at a frame's end. The next part begins at the
/// last beat of the one before, so every interval is in exactly one part.
///
/// No beat stands after the receipt of its frame, whatever the anchor did meanwhile: a part is placed by what
/// each of its own frames allows.
struct BeatClock {
  /// Five minutes at 60 beats a minute.
  static let maximumIntervals = 300
  /// How many frames in a row must be late before beats count as missing.
  static let lateFrames = 5
  /// How many median intervals the receipt may lag behind the beats. The newest beat of a frame is younger
  /// than one interval, so one is normal; the half is room for the radio.
  static let lagInIntervals = 1.5
  /// The straps' crystals are better than this; the anchor follows a slow one at no more than this rate.
  static let driftPartsPerMillion: Int64 = 50
  /// A part that another follows is placed so much earlier than its frames allow, in microseconds: a frame of
  /// the next may show that all of them were late by a little, and its beats are not to stand before the last
  /// of this one. A strap with a fast crystal needs it too.
  static let margin: Int64 = 100_000
  /// A segment is young for so long, in microseconds: its frames may all have been late by up to this, as
  /// they are while a host is busy with a new link, and then one that is not shows where they belong.
  static let youth: Int64 = 10_000_000

  private struct Part {
    var intervals: [UInt16] = []
    /// Ticks since the anchor at which this part begins.
    var ticksAtStart: Int64
    var firstReceipt: ReceiptTime
    /// The latest start, µs since 1970, at which no beat stands after the receipt of its frame.
    var latestStart = Int64.max
  }

  /// A frame of the part, for as long as a gap may turn out to be before it.
  private struct Frame {
    var firstInterval: Int
    var receipt: ReceiptTime
    /// Where the frame alone would put tick 0, µs since 1970.
    var candidate: Int64
  }

  /// How many frames back a gap is looked for, at least.
  private static let memory = 24

  /// Where tick 0 stands, µs since 1970.
  private var anchor: Int64 = 0
  private var ticks: Int64 = 0
  private var part: Part?
  private var frames: [Frame] = []
  private var lateFrames = 0
  private var recent = RecentIntervals()
  private var previousReceipt: ReceiptTime?
  /// The receipt of the newest frame with intervals.
  private var latest = ReceiptTime(microsecondsSince1970: .min)
  /// When the segment's first frame came.
  private var began = ReceiptTime(microsecondsSince1970: .min)
  /// The last beat of the part before, at which the next begins.
  private var floor = Int64.min
  private(set) var finished: [BeatSegment] = []
  /// The first receipt of the segment that was finished last, and its ordinal.
  private var last: (firstReceipt: ReceiptTime, ordinal: Int)?

  /// The segment in progress, as it would be if it ended now.
  var open: BeatSegment? { part.map { segment($0, start: start(of: $0, false)) } }

  /// Forgets the segment in progress: its beats are not wanted. What comes next is not joined to it.
  mutating func discardOpen() {
    part = nil
    interrupt()
  }

  /// Hands over the segments that ended since the last call.
  mutating func takeFinished() -> [BeatSegment] {
    defer { finished.removeAll() }
    return finished
  }

  /// Ends the segment: what comes next is not joined to what came before.
  mutating func interrupt() {
    closePart()
    recent = RecentIntervals()
    previousReceipt = nil
    floor = .min
  }

  /// Takes the intervals of one frame, oldest first.
  mutating func receive(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    if let previousReceipt, receipt < previousReceipt { interrupt() }
    defer { previousReceipt = receipt }
    guard !intervals.isEmpty else { return }
    guard let earlier = previousReceipt, part != nil || floor != .min else {
      begin(intervals, at: receipt)
      return
    }
    slew(by: receipt.microseconds(since: earlier))
    let candidate = receipt.microsecondsSince1970 &- Self.microseconds(ticks + Self.sum(intervals))
    let tolerance = recent.tolerance
    let isYoung = receipt.microseconds(since: began) <= Self.youth && anchor - candidate <= Self.youth
    if candidate < anchor - tolerance && !isYoung {
      // More heartbeat than time: these intervals cannot follow the ones before.
      interrupt()
      begin(intervals, at: receipt)
      return
    }
    let isLate = candidate > anchor + tolerance
    anchor = min(anchor, candidate)
    append(intervals, at: receipt)
    remember(candidate, intervals.count, receipt)
    lateFrames = isLate ? lateFrames + 1 : 0
    if lateFrames >= Self.lateFrames { splitWhereLagRose() }
    if lateFrames == 0, let part, part.intervals.count >= Self.maximumIntervals {
      closePart(isContinued: true)
    }
  }

  // MARK: - Steps

  private mutating func begin(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    ticks = 0
    began = receipt
    anchor = receipt.microsecondsSince1970 &- Self.microseconds(Self.sum(intervals))
    append(intervals, at: receipt)
  }

  private mutating func append(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    var part = part ?? Part(ticksAtStart: ticks, firstReceipt: receipt)
    self.part = nil
    latest = receipt
    for index in intervals.indices {
      let interval = intervals[index]
      part.intervals.append(interval)
      recent.append(interval)
      ticks += Int64(interval)
    }
    part.latestStart = min(
      part.latestStart,
      receipt.microsecondsSince1970 &- Self.microsecondsRoundedUp(ticks - part.ticksAtStart))
    self.part = part
  }

  /// Follows a strap whose crystal runs slow; one that runs fast pulls the envelope down by itself.
  private mutating func slew(by elapsed: Int64) {
    anchor += min(max(elapsed, 0), 60_000_000) * Self.driftPartsPerMillion / 1_000_000
  }

  private mutating func remember(
    _ candidate: Int64, _ count: Int, _ receipt: ReceiptTime
  ) {
    guard let part else { return }
    if frames.count >= 2 * Self.memory { frames.removeFirst(Self.memory) }
    frames.append(
      Frame(
        firstInterval: part.intervals.count - count, receipt: receipt,
        candidate: candidate))
  }

  /// Beats are missing. The lag of all frames behind the gap is about as great as the least of the late ones;
  /// the frames before it were not late. What precedes the gap is one segment, and the rest begins another.
  private mutating func splitWhereLagRose() {
    let least = frames.suffix(Self.lateFrames).map(\.candidate).min() ?? 0
    let first = (frames.lastIndex { $0.candidate < least - recent.tolerance / 3 } ?? -1) + 1
    guard var part, first < frames.count else { return }
    let behind = Array(frames[first...])
    let start = behind[0].firstInterval
    let tail = Array(part.intervals[start...])
    part.intervals.removeSubrange(start...)
    self.part = part.intervals.isEmpty ? nil : part
    interrupt()
    for (index, frame) in behind.enumerated() {
      let from = frame.firstInterval - start
      let to = index + 1 < behind.count ? behind[index + 1].firstInterval - start : tail.count
      receive(tail.span.extracting(from..<to), at: frame.receipt)
    }
  }

  private mutating func closePart(isContinued: Bool = false) {
    frames.removeAll(keepingCapacity: true)
    lateFrames = 0
    guard let part else { return }
    let start = start(of: part, isContinued)
    floor = start + Self.microsecondsRoundedUp(Self.sum(part.intervals.span))
    let segment = segment(part, start: start)
    finished.append(segment)
    last = (segment.firstReceipt, segment.ordinal)
    self.part = nil
  }

  private func segment(_ part: Part, start: Int64) -> BeatSegment {
    let ordinal = last.map { $0.firstReceipt == part.firstReceipt ? $0.ordinal + 1 : 0 } ?? 0
    return BeatSegment(
      start: ReceiptTime(microsecondsSince1970: start), firstReceipt: part.firstReceipt, ordinal: ordinal,
      knownUntil: latest, intervals: part.intervals)
  }

  /// Where a part's first beat stands: at the last beat of the part before, for as long as the frames allow
  /// it and do not lag behind it more and more.
  private func start(of part: Part, _ isContinued: Bool) -> Int64 {
    let earliest = min(anchor &+ Self.microseconds(part.ticksAtStart), part.latestStart)
    if floor > .min, floor <= part.latestStart, earliest - floor <= 2 * Self.margin { return floor }
    return isContinued ? earliest - Self.margin : earliest
  }

  private static func sum(_ intervals: Span<UInt16>) -> Int64 {
    var sum: Int64 = 0
    for index in intervals.indices { sum += Int64(intervals[index]) }
    return sum
  }

  /// Ticks of 1/1024 s as whole microseconds, rounded down.
  private static func microseconds(_ ticks: Int64) -> Int64 { ticks * 15_625 / 16 }

  private static func microsecondsRoundedUp(_ ticks: Int64) -> Int64 { (ticks * 15_625 + 15) / 16 }
}
