import Bluetooth

/// Computes the times of beats from RR intervals and the receipt times of their frames.
///
/// Counting back from each receipt time would make the beats jump by the radio's delay. Instead, within an
/// uninterrupted segment a beat is at *anchor + ticks so far*. The anchor is the lower envelope of `receipt
/// − ticks`, because frames arrive late by varying amounts and never early.
///
/// A segment ends with
/// - a call of ``interrupt()``: after a link loss, lost contact, or packets that a recorder dropped;
/// - a receipt time that steps back, or intervals that claim more time than has passed since the segment
///   began;
/// - intervals that explain too little of the elapsed time for several consecutive frames. Beats are
///   missing then, and the gap is where the lag rose permanently. A single late frame is only a slow radio.
///
/// A segment is returned in parts of at least ``maximumIntervals``, each ending with a frame. The next part
/// begins at the last beat of the previous one, so every interval is in exactly one part.
///
/// No beat is after the receipt of its frame, however the anchor has moved meanwhile: the start of a part
/// is limited by each of its frames.
///
/// Frames that were queued while the machine and its clocks were paused arrive at once, and their intervals
/// claim more time than has passed. They form a segment of their own, which ends at their receipt and
/// overlaps the previous one. They are not repetitions.
///
/// A strap that repeats intervals claims more and more time. The times between its beats are not RR
/// intervals, so each beat in such a segment has a gap before it. Its oldest intervals are dropped and
/// counted if they would begin before the link or before the end of the previous segment.
struct BeatClock {
  /// Number of intervals after which a part is returned: five minutes at 60 beats a minute.
  static let maximumIntervals = 300
  /// Number of consecutive late frames after which beats count as missing.
  static let lateFrames = 5
  /// Maximum lag of the receipt behind the beats, in median intervals. The newest beat of a frame is
  /// younger than one interval, so a lag of one is normal. The other half is tolerance for the radio.
  static let lagInIntervals = 1.5
  /// Maximum rate at which the anchor follows a slow crystal. The crystals of straps are better than this.
  static let driftPartsPerMillion: Int64 = 50
  /// A part that is continued is placed earlier than its frames allow by this many microseconds. A frame of
  /// the next part may show that all frames so far were a little late, and its beats must not be before the
  /// last beat of this part. A strap with a fast crystal needs it too.
  static let margin: Int64 = 100_000
  /// Duration, in microseconds, for which a segment is young. While a host is busy with a new link, all
  /// frames may be late by up to this much; the first frame that is not late then shows the right position.
  static let youth: Int64 = 10_000_000
  /// Time, in microseconds, for which a strap that repeated intervals is expected to do so again.
  static let suspicion: Int64 = 120_000_000
  /// Excess of the intervals over the elapsed time, in thousandths, from which the strap repeats intervals.
  /// No crystal is that fast.
  static let surplusPerThousand: Int64 = 3

  private struct Part {
    var intervals: [UInt16] = []
    /// Ticks from the anchor to the start of this part.
    var ticksAtStart: Int64
    var firstReceipt: ReceiptTime
    /// The latest start, in microseconds since 1970, for which no beat is after the receipt of its frame.
    var latestStart = Int64.max
    /// Whether the intervals claim more and more time, or the strap's did so shortly before.
    var exceedsTime: Bool
  }

  /// A frame of the part, kept while a gap before it may still be found.
  private struct Frame {
    var firstInterval: Int
    var receipt: ReceiptTime
    /// The time of tick 0 by this frame alone, in microseconds since 1970.
    var candidate: Int64
  }

  /// Minimum number of frames in which a gap is searched.
  private static let memory = 24

  private let intervalUnit: MonitorSettings.IntervalUnit

  init(intervalUnit: MonitorSettings.IntervalUnit = .standard) { self.intervalUnit = intervalUnit }

  /// The time of tick 0, in microseconds since 1970.
  private var anchor: Int64 = 0
  private var ticks: Int64 = 0
  private var part: Part?
  private var frames: [Frame] = []
  private var lateFrames = 0
  private var recent = RecentIntervals()
  private var previousReceipt: ReceiptTime?
  /// The receipt of the newest frame with intervals.
  private var latest = ReceiptTime(microsecondsSince1970: .min)
  /// Whether the segment consists of frames that were queued while the clock was paused.
  private var isQueued = false
  /// The receipt of the segment's first frame.
  private var began = ReceiptTime(microsecondsSince1970: .min)
  /// The time of tick 0 by the segment's first frame, in microseconds since 1970.
  private var first: Int64 = 0
  /// The earliest time of tick 0 by a frame of the segment's first seconds.
  private var lowest: Int64 = 0
  /// The greatest tolerance in the segment's first seconds. A beat is up to one interval older than its
  /// frame, so the first frames of a slow heart may be late by more than an interval of the faster heart
  /// later.
  private var firstTolerance: Int64 = 0
  /// The time of tick 0 by the segment's newest frame.
  private var newest: Int64 = 0
  private var linkStart: ReceiptTime?
  /// The last beat that was returned, in microseconds since 1970.
  private var previousEnd = Int64.min
  /// When intervals last claimed too much time.
  private var lastSurplus: ReceiptTime?
  /// When intervals last claimed too much time in a way that only repetition explains.
  private var lastRepetition: ReceiptTime?
  /// Counts since the last call of ``takeSurplus()``. `dropped`: intervals beyond what fits into the elapsed
  /// time. `stored`: intervals already stored before it was clear that the strap does not send RR intervals.
  private var surplus = (dropped: 0, stored: 0)
  /// The last beat of the previous part, at which the next one begins.
  private var floor = Int64.min
  private(set) var finished: [BeatSegment] = []
  /// The first receipt and the ordinal of the segment that was finished last.
  private var last: (firstReceipt: ReceiptTime, ordinal: Int)?

  /// The current segment, as if it ended now.
  var open: BeatSegment? { part.flatMap { fitted(segment($0, start: start(of: $0, false))).segment } }

  /// Returns and resets the numbers of intervals that exceed the elapsed time.
  mutating func takeSurplus() -> (dropped: Int, stored: Int) {
    defer { surplus = (0, 0) }
    return surplus
  }

  /// Records the start of a link. No frame can be from before it.
  mutating func beginLink(at time: ReceiptTime) { linkStart = time }

  /// Ends the segment after a clock change: earlier times say nothing about later ones.
  mutating func forgetTimes() {
    interrupt()
    (previousEnd, linkStart, lastSurplus, lastRepetition) = (.min, nil, nil, nil)
  }

  /// Discards the current segment. The next beats are not joined to it.
  mutating func discardOpen() {
    part = nil
    interrupt()
  }

  /// Returns the segments that ended since the last call.
  mutating func takeFinished() -> [BeatSegment] {
    defer { finished.removeAll() }
    return finished
  }

  /// Ends the segment. The next beats are not joined to it.
  mutating func interrupt() {
    closePart()
    recent = RecentIntervals()
    previousReceipt = nil
    floor = .min
    isQueued = false
  }

  /// Adds the intervals of one frame, oldest first.
  ///
  /// - Parameter isDelayed: Whether the frame was queued in transit, so that its time is an estimate.
  mutating func receive(_ intervals: Span<UInt16>, at receipt: ReceiptTime, isDelayed: Bool = false) {
    if let previousReceipt, receipt < previousReceipt { interrupt() }
    if isQueued, !isDelayed { interrupt() }
    defer { previousReceipt = receipt }
    guard !intervals.isEmpty else { return }
    guard let earlier = previousReceipt, part != nil || floor != .min else {
      begin(intervals, at: receipt)
      return
    }
    slew(by: receipt.microseconds(since: earlier))
    let candidate = receipt.microsecondsSince1970 &- microseconds(ticks + Self.sum(intervals))
    let tolerance = recent.tolerance
    if !isQueued, claimsTooMuch(candidate, at: receipt) {
      // The intervals claim more time than has passed, so they cannot follow the previous ones.
      if isDelayed { interrupt() } else { endSurplus(at: receipt) }
      begin(intervals, at: receipt)
      isQueued = isDelayed
      return
    }
    newest = candidate
    if receipt.microseconds(since: began) <= Self.youth {
      lowest = min(lowest, candidate)
      firstTolerance = max(firstTolerance, tolerance)
    }
    let isLate = candidate > anchor + tolerance
    anchor = min(anchor, candidate)
    append(intervals, at: receipt)
    remember(candidate, intervals.count, receipt)
    lateFrames = isLate ? lateFrames + 1 : 0
    if lateFrames >= Self.lateFrames { splitWhereLagRose() }
    // Not while frames are late: if beats turn out to be missing, the split must still be inside this part.
    if lateFrames == 0, let part, part.intervals.count >= Self.maximumIntervals {
      closePart(isContinued: true)
    }
  }

  // MARK: - Steps

  private mutating func begin(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    ticks = 0
    began = receipt
    // No beat is after its frame, so the clock has stepped back.
    if receipt.microsecondsSince1970 < previousEnd { previousEnd = .min }
    if let start = linkStart, receipt < start { linkStart = nil }
    anchor = receipt.microsecondsSince1970 &- microseconds(Self.sum(intervals))
    (first, lowest, newest) = (anchor, anchor, anchor)
    append(intervals, at: receipt)
    firstTolerance = recent.tolerance
  }

  /// Returns whether intervals exceed the time since the start of the segment by more than the intervals of
  /// the first frame, the tolerance, a fast crystal, and the delay of the first frames. That delay is known
  /// after some seconds. It is at most the time since the start of the link and since the last beat before.
  /// Frames that were queued while a host was paused arrive at once, and their intervals fill that time.
  private func claimsTooMuch(_ candidate: Int64, at receipt: ReceiptTime) -> Bool {
    let age = receipt.microseconds(since: began)
    let tolerance = max(recent.tolerance, firstTolerance)
    guard age > Self.youth else {
      let earliest = max(linkStart?.microsecondsSince1970 ?? .min, previousEnd)
      let longest = earliest > .min ? max(began.microsecondsSince1970 - earliest, 0) : Self.youth
      let delay = isWithinSuspicion(lastRepetition, at: receipt) ? 0 : longest
      return candidate < first - delay - tolerance
    }
    let drift = age / 1_000_000 * Self.driftPartsPerMillion
    return candidate < anchor - tolerance || candidate < lowest - tolerance - drift
  }

  /// Ends a segment whose intervals claim too much time. A single surplus is a delayed transmission. The
  /// strap repeats intervals if the surplus grew by more than the age of a beat, or recurs.
  private mutating func endSurplus(at receipt: ReceiptTime) {
    let age = receipt.microseconds(since: began)
    let claimed = first - newest
    let hasGrown =
      claimed > max(recent.tolerance, firstTolerance) * 2 / 3
      && claimed > age / 1000 * Self.surplusPerThousand
    if hasGrown || isWithinSuspicion(lastSurplus, at: receipt) {
      part?.exceedsTime = true
      lastRepetition = receipt
    }
    lastSurplus = receipt
    interrupt()
  }

  private func isWithinSuspicion(_ earlier: ReceiptTime?, at receipt: ReceiptTime) -> Bool {
    earlier.map { abs(receipt.microseconds(since: $0)) <= Self.suspicion } ?? false
  }

  private mutating func append(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    var part =
      part
      ?? Part(
        ticksAtStart: ticks, firstReceipt: receipt,
        exceedsTime: isWithinSuspicion(lastRepetition, at: receipt))
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
      receipt.microsecondsSince1970 &- microsecondsRoundedUp(ticks - part.ticksAtStart))
    self.part = part
  }

  /// Lets the anchor follow a strap with a slow crystal. A fast crystal lowers the envelope without this.
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

  /// Splits the segment where beats are missing. All frames after the gap lag by about the smallest lag of
  /// the late ones; the frames before it were not late.
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
    let fitted = fitted(segment(part, start: start))
    floor = start + microsecondsRoundedUp(Self.sum(part.intervals.span))
    previousEnd = max(previousEnd, floor)
    surplus.dropped += fitted.dropped
    if let segment = fitted.segment {
      if segment.exceedsTime { surplus.stored += segment.intervals.count }
      finished.append(segment)
      last = (segment.firstReceipt, segment.ordinal)
    }
    self.part = nil
  }

  /// Drops the oldest intervals of a strap that repeats them, as long as they begin before the link or
  /// before the end of the previous segment. For other straps nothing is dropped, unless a part begins more
  /// than half an interval before the end of the part that it continues.
  private func fitted(_ segment: BeatSegment) -> (segment: BeatSegment?, dropped: Int) {
    let limit =
      segment.exceedsTime ? max(previousEnd, linkStart?.microsecondsSince1970 ?? .min) : floor
    guard limit > .min else { return (segment, 0) }
    let start = segment.start.microsecondsSince1970
    var ticks: Int64 = 0
    var dropped = 0
    while dropped < segment.intervals.count {
      let next = Int64(segment.intervals[dropped])
      let leeway = segment.exceedsTime ? 0 : microseconds(next) / 2
      guard start + microsecondsRoundedUp(ticks) < limit - leeway else { break }
      ticks += next
      dropped += 1
    }
    guard dropped < segment.intervals.count else { return (nil, dropped) }
    var segment = segment
    segment.start = ReceiptTime(microsecondsSince1970: start + microsecondsRoundedUp(ticks))
    segment.intervals.removeFirst(dropped)
    return (segment, dropped)
  }

  private func segment(_ part: Part, start: Int64) -> BeatSegment {
    let ordinal = last.map { $0.firstReceipt == part.firstReceipt ? $0.ordinal + 1 : 0 } ?? 0
    return BeatSegment(
      start: ReceiptTime(microsecondsSince1970: start), firstReceipt: part.firstReceipt, ordinal: ordinal,
      knownUntil: latest, intervals: part.intervals, exceedsTime: part.exceedsTime, unit: intervalUnit)
  }

  /// Returns the time of a part's first beat. It is the last beat of the previous part, as long as the
  /// frames allow it and the lag behind them does not grow.
  private func start(of part: Part, _ isContinued: Bool) -> Int64 {
    let earliest = min(anchor &+ microseconds(part.ticksAtStart), part.latestStart)
    if floor > .min, floor <= part.latestStart, earliest - floor <= 2 * Self.margin { return floor }
    return isContinued ? earliest - Self.margin : earliest
  }

  private static func sum(_ intervals: Span<UInt16>) -> Int64 {
    var sum: Int64 = 0
    for index in intervals.indices { sum += Int64(intervals[index]) }
    return sum
  }

  /// Converts ticks to whole microseconds, rounded down.
  private func microseconds(_ ticks: Int64) -> Int64 { intervalUnit.microseconds(ticks) }

  private func microsecondsRoundedUp(_ ticks: Int64) -> Int64 {
    let unit = Int64(intervalUnit.rawValue)
    return (ticks * 1_000_000 + unit - 1) / unit
  }
}
