import Bluetooth

/// Computes the times of beats from RR intervals and the receipt times of their frames.
///
/// A frame is one Heart Rate Measurement notification. Counting back from each receipt time would make the
/// beats jitter by the radio's delay. Instead, as long as no beat is missing, the time of a beat is an
/// *anchor* plus the sum of all intervals before the beat (in ticks). Such an uninterrupted sequence of beats
/// is a *segment*. Frames arrive late by varying amounts and never early, so the anchor is the earliest
/// `receipt − ticks` of all frames.
///
/// A segment ends with
/// - a call of ``interrupt()``: after a link loss, lost contact, or packets that a recorder dropped;
/// - a receipt time before the previous one, or intervals whose sum is more than the time since the segment
///   began;
/// - several consecutive frames that arrive too late for the sum of their intervals. Beats are then missing
///   at the point from which the delay is permanent. A single late frame is only a slow radio.
///
/// A long segment is returned in parts of at least ``maximumIntervals`` intervals, each ending with a frame.
/// The next part begins with the last beat of the previous one, so each interval is in exactly one part.
///
/// No beat is later than the receipt of its frame. If one would be, the start of its part is moved back.
///
/// Frames that were queued while the machine and its clocks were paused arrive at once, and the sum of their
/// intervals is more than the time that has passed. They form a segment of their own, which ends at their
/// receipt and overlaps the previous segment.
///
/// A strap that sends intervals repeatedly has a growing sum that exceeds the elapsed time. The times between
/// its beats are not RR intervals, so each beat in such a segment is stored with a gap before it. The oldest
/// intervals of such a segment are dropped and counted if they would begin before the connection or before
/// the end of the previous segment.
struct BeatClock {
  /// Number of intervals after which a part of a segment is returned: five minutes at 60 beats a minute.
  static let maximumIntervals = 300
  /// Number of consecutive late measurement frames from which missing beats are inferred.
  static let lateFrames = 5
  /// How long after its last beat a measurement frame may arrive without being late, in median intervals. The
  /// last beat may be up to one interval old. The rest is tolerance for the radio.
  static let lagInIntervals = 1.5
  /// How fast the estimated time of a segment's first beat moves forward, in parts per million, to follow a
  /// strap with a slow crystal oscillator. The oscillators of straps deviate less than this.
  static let driftPartsPerMillion: Int64 = 50
  /// Safety margin in microseconds: if a segment continues after a part, the part is placed this much earlier
  /// than its frames require. Later frames may reveal that all frames so far were a little late, or that the
  /// strap's oscillator is fast. Without the margin, the next part would then begin before the last beat of
  /// this one.
  static let margin: Int64 = 100_000
  /// Length of the initial period of a segment in which the times of its beats are still uncertain, in
  /// microseconds. While a host is busy with a new connection, all frames may be late by up to this time.
  static let youth: Int64 = 10_000_000
  /// How long a strap that has repeated intervals is expected to do so again, in microseconds.
  static let suspicion: Int64 = 120_000_000
  /// The excess of the intervals' sum over the elapsed time, in thousandths, from which the strap is
  /// considered to repeat intervals. No oscillator is that fast.
  static let surplusPerThousand: Int64 = 3

  private struct Part {
    var intervals: [UInt16] = []
    /// The sum of the segment's intervals before this part, in ticks.
    var ticksAtStart: Int64
    var firstReceipt: ReceiptTime
    /// The latest start of this part of the segment, in microseconds since 1970, for which no beat is later
    /// than the receipt of its measurement frame.
    var latestStart = Int64.max
    /// Whether the sum of the intervals exceeds the elapsed time, or did so a short time ago.
    var exceedsTime: Bool
  }

  /// A measurement frame of the current part of the segment. It is kept as long as missing beats before it
  /// may still be detected.
  private struct Frame {
    var firstInterval: Int
    var receipt: ReceiptTime
    /// The time of the segment's first beat according to this measurement frame alone, in microseconds since
    /// 1970: its receipt minus the sum of all intervals so far.
    var candidate: Int64
  }

  /// Number of recent measurement frames that are searched for missing beats.
  private static let memory = 24

  private let intervalUnit: MonitorSettings.IntervalUnit

  init(intervalUnit: MonitorSettings.IntervalUnit = .standard) { self.intervalUnit = intervalUnit }

  /// The estimated time of the segment's first beat, in microseconds since 1970.
  private var anchor: Int64 = 0
  private var ticks: Int64 = 0
  private var part: Part?
  private var frames: [Frame] = []
  private var lateFrames = 0
  private var recent = RecentIntervals()
  private var previousReceipt: ReceiptTime?
  /// The receipt time of the latest measurement frame with intervals.
  private var latest = ReceiptTime(microsecondsSince1970: .min)
  /// Whether the segment consists of measurement frames that were queued while the machine was paused.
  private var isQueued = false
  /// The receipt time of the segment's first measurement frame.
  private var began = ReceiptTime(microsecondsSince1970: .min)
  /// The time of the segment's first beat according to its first measurement frame alone.
  private var first: Int64 = 0
  /// The earliest time of the segment's first beat according to any measurement frame of its first seconds.
  private var lowest: Int64 = 0
  /// The greatest tolerance for late frames in the segment's first seconds. If the heart rate is low then and
  /// rises later, the first measurement frames may be late by more than one of the later, shorter intervals.
  private var firstTolerance: Int64 = 0
  /// The time of the segment's first beat according to its latest measurement frame alone.
  private var newest: Int64 = 0
  private var linkStart: ReceiptTime?
  /// The time of the last returned beat, in microseconds since 1970.
  private var previousEnd = Int64.min
  /// When the sum of the intervals last exceeded the elapsed time.
  private var lastSurplus: ReceiptTime?
  /// When the intervals' sum last exceeded the elapsed time by so much that the strap must have repeated
  /// some.
  private var lastRepetition: ReceiptTime?
  /// Counts of repeated intervals since the last call of ``drainSurplus()``. `dropped` ones were not stored,
  /// because they would overlap earlier beats. `stored` ones were stored before the repetition was detected.
  private var surplus = (dropped: 0, stored: 0)
  /// The time of the last beat of the segment's previous part, with which the next part begins, in
  /// microseconds since 1970.
  private var floor = Int64.min
  private(set) var finished: [BeatSegment] = []
  /// The first receipt time and the ordinal of the segment that was last returned.
  private var last: (firstReceipt: ReceiptTime, ordinal: Int)?

  /// The current segment as it would be if it ended now.
  var open: BeatSegment? { part.flatMap { fitted(segment($0, start: start(of: $0, false))).segment } }

  /// Returns the counts of repeated intervals since the last call.
  mutating func drainSurplus() -> (dropped: Int, stored: Int) {
    defer { surplus = (0, 0) }
    return surplus
  }

  /// Records the start of a connection. No beat can have been sent before it.
  mutating func beginLink(at time: ReceiptTime) { linkStart = time }

  /// Ends the segment because the wall clock was changed, so that earlier and later times cannot be compared.
  mutating func forgetTimes() {
    interrupt()
    (previousEnd, linkStart, lastSurplus, lastRepetition) = (.min, nil, nil, nil)
  }

  /// Discards the current segment. Later beats begin a new one.
  mutating func discardOpen() {
    part = nil
    interrupt()
  }

  /// Returns the segments that ended since the last call.
  mutating func drainFinished() -> [BeatSegment] {
    defer { finished.removeAll() }
    return finished
  }

  /// Ends the segment, because beats may be missing. Later beats begin a new one.
  mutating func interrupt() {
    closePart()
    recent = RecentIntervals()
    previousReceipt = nil
    floor = .min
    isQueued = false
  }

  /// Adds the intervals of one measurement frame, oldest first.
  ///
  /// - Parameter isDelayed: Whether the frame was queued before it was received, so that its receipt time is
  ///   an estimate.
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
      // These intervals cannot follow the previous ones, because the sum of all exceeds the elapsed time.
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
    // Do not end this part of the segment while measurement frames are late. If beats turn out to be missing,
    // the part must still be split at that position.
    if lateFrames == 0, let part, part.intervals.count >= Self.maximumIntervals {
      closePart(isContinued: true)
    }
  }

  // MARK: - Steps

  private mutating func begin(_ intervals: Span<UInt16>, at receipt: ReceiptTime) {
    ticks = 0
    began = receipt
    // If the frame is earlier than the last returned beat, the clock was set back: no beat is later than its
    // frame.
    if receipt.microsecondsSince1970 < previousEnd { previousEnd = .min }
    if let start = linkStart, receipt < start { linkStart = nil }
    anchor = receipt.microsecondsSince1970 &- microseconds(Self.sum(intervals))
    (first, lowest, newest) = (anchor, anchor, anchor)
    append(intervals, at: receipt)
    firstTolerance = recent.tolerance
  }

  /// Returns whether the sum of the intervals exceeds the time since the start of the segment by too much.
  /// The intervals of the first frame, a fast oscillator, and late frames can explain a part of the excess.
  ///
  /// How late the first frames were is known only after some seconds. Until then, the limit is the time from
  /// the start of the connection, or from the last beat before the segment, to the first frame. That much is
  /// possible, because frames that were queued while the host was paused arrive at once.
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

  /// Ends a segment because the sum of its intervals exceeds the elapsed time. A late measurement frame may
  /// cause this once. If it happens again, or the excess grows by more than two thirds of the tolerance, the
  /// strap repeats intervals.
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

  /// Moves the estimated time of the segment's first beat forward, for a strap with a slow oscillator. A fast
  /// oscillator does not need this, because the estimate is the earliest of all measurement frames.
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

  /// Splits the segment where beats are missing: before the first of the consecutive late frames at its end.
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

  /// Drops the oldest intervals of a strap that repeats them, if they would begin before the connection or
  /// before the end of the previous segment. For other straps, intervals are dropped only if a part would
  /// begin more than half an interval before the end of the previous part.
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

  /// Returns the time of the first beat of a part of the segment, in microseconds since 1970. This is the
  /// last beat of the previous part, unless the measurement frames contradict it.
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
