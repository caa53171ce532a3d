package import Bluetooth

/// A gap as the session of its monitor knows it.
package struct GapDraft: Hashable, Sendable {
  package var start: ReceiptTime
  package var end: ReceiptTime?
  package var cause: GapCause
  package var lost: Int?

  package init(start: ReceiptTime, end: ReceiptTime? = nil, cause: GapCause, lost: Int? = nil) {
    self.start = start
    self.end = end
    self.cause = cause
    self.lost = lost
  }
}

/// Where the frames of one strap stopped, and where they went on.
///
/// A gap reaches from the receipt of the last frame before it to that of the first after it, whenever it was
/// noticed: what the strap sent in between is gone, and no frame that arrived is inside. The first cause
/// wins; later causes are ignored.
package struct GapTracker: Sendable {
  /// The receipt of the last frame.
  private(set) var lastFrame: ReceiptTime?
  private(set) var open: GapDraft? { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// Gaps that an earlier run left open, in the order in which they began. They end where this run's frames
  /// begin. A recording's frame from before a gap does not end it. A live frame comes after all of them,
  /// whatever its time says: the clock was set back.
  private var inherited: [GapDraft] { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// A frame may end a gap. Stored, because every frame asks.
  private(set) var isOpen: Bool
  /// The user wants the strap followed, so there may be a gap before its first frame.
  private let isExpected: Bool
  /// Gaps that began, changed or ended since they were last taken.
  private(set) var changes: [GapDraft] = []

  /// - Parameters:
  ///   - inherited: The gaps that earlier runs left open.
  ///   - lastMeasurement: The receipt of the last frame that a live run committed. If that run left no gap
  ///     open, it was killed.
  ///   - missedSince: For a strap of which no run committed a frame: since when a run that was killed may
  ///     have had some. That is known to the next run alone, so the gap is a change for it to store at once.
  ///   - isExpected: The user wants the strap followed.
  package init(
    inherited: [GapDraft] = [], lastMeasurement: ReceiptTime? = nil, missedSince: ReceiptTime? = nil,
    isExpected: Bool = false
  ) {
    var inherited = inherited.sorted { $0.start < $1.start }
    if inherited.isEmpty, let start = lastMeasurement ?? missedSince {
      inherited = [GapDraft(start: start, cause: .gatewayStopped)]
      if lastMeasurement == nil { changes = inherited }
    }
    self.inherited = inherited
    self.isExpected = isExpected
    isOpen = !inherited.isEmpty
  }

  /// What the gap is that lasts.
  var cause: GapCause? { open?.cause ?? inherited.last?.cause }

  /// A frame arrived.
  @inline(__always)
  mutating func receive(at time: ReceiptTime) {
    if isOpen { close(at: time) }
    lastFrame = time
  }

  /// From here on nothing arrives, until the next frame.
  mutating func begin(_ cause: GapCause, at time: ReceiptTime) {
    guard open == nil else { return }
    // Before its first frame only a strap that is expected has a gap, and one that was left open simply goes
    // on.
    guard lastFrame != nil || (isExpected && inherited.isEmpty) else { return }
    let gap = GapDraft(start: lastFrame ?? time, cause: cause)
    open = gap
    inherited.removeAll { $0.start == gap.start }
    changes.append(gap)
  }

  /// A frame arrived and could not be kept.
  mutating func lose(_ cause: GapCause, at time: ReceiptTime) {
    begin(cause, at: time)
    if let lost = open.map({ $0.lost ?? 0 }) {
      open?.lost = lost + 1
    } else if let last = inherited.indices.last {
      inherited[last].lost = (inherited[last].lost ?? 0) + 1
    }
  }

  /// What is known of earlier times has changed: the clock was set.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    lastFrame = lastFrame.map(corrected)
    if let start = open?.start { open?.start = corrected(start) }
    for index in inherited.indices { inherited[index].start = corrected(inherited[index].start) }
  }

  mutating func takeChanges() -> [GapDraft] {
    defer { changes.removeAll() }
    return changes
  }

  private mutating func close(at time: ReceiptTime) {
    if var gap = open {
      // After the clock was set back, the frame may seem to precede the gap.
      gap.end = max(gap.start, time)
      changes.append(gap)
      open = nil
    }
    // Not `<=`: a recording that is read again has the very frame at which its last gap began.
    let ended = inherited.prefix { isExpected || $0.start < time }
    for (index, gap) in ended.enumerated() {
      var gap = gap
      // A gap that began after another shows that a frame arrived between them.
      gap.end = index + 1 < ended.count ? ended[index + 1].start : max(gap.start, time)
      changes.append(gap)
    }
    inherited.removeFirst(ended.count)
  }
}
