package import Bluetooth

/// A gap of a monitor, before it is stored.
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

/// Tracks the gaps between the frames of one strap.
///
/// A gap extends from the receipt of the last frame before it to the receipt of the first frame after it,
/// whenever it was noticed. No frame that arrived is inside it. The first cause wins; later causes are
/// ignored.
package struct GapTracker: Sendable {
  /// The receipt of the last frame.
  private(set) var lastFrame: ReceiptTime?
  private(set) var open: GapDraft? { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// Gaps that an earlier run left open, in the order of their start. They end with the first frames of
  /// this run. In a recording, a frame from before a gap does not end it. A live frame comes after all
  /// gaps, whatever its time: the clock may have been set back.
  private var inherited: [GapDraft] { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// Whether a frame may end a gap. Stored, because every frame checks it.
  private(set) var isOpen: Bool
  /// Whether the user wants the strap followed, so that there may be a gap before its first frame.
  private let isExpected: Bool
  /// Gaps that were created, changed or ended since the last call of ``takeChanges()``.
  private(set) var changes: [GapDraft] = []

  /// - Parameters:
  ///   - inherited: The gaps that earlier runs left open.
  ///   - lastMeasurement: The receipt of the last frame that a live run committed. If that run left no gap
  ///     open, it was killed.
  ///   - missedSince: For a strap without a committed frame: the time since when a killed run may have
  ///     received some. Only the next run can know this, so it is stored as a new gap at once.
  ///   - isExpected: Whether the user wants the strap followed.
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

  /// The cause of the open gap.
  var cause: GapCause? { open?.cause ?? inherited.last?.cause }

  /// Records a frame.
  @inline(__always)
  mutating func receive(at time: ReceiptTime) {
    if isOpen { close(at: time) }
    lastFrame = time
  }

  /// Starts a gap that lasts until the next frame.
  mutating func begin(_ cause: GapCause, at time: ReceiptTime) {
    guard open == nil else { return }
    // Before its first frame only an expected strap has a gap. A gap that an earlier run left open continues.
    guard lastFrame != nil || (isExpected && inherited.isEmpty) else { return }
    let gap = GapDraft(start: lastFrame ?? time, cause: cause)
    open = gap
    inherited.removeAll { $0.start == gap.start }
    changes.append(gap)
  }

  /// Records a frame that arrived and could not be stored.
  mutating func lose(_ cause: GapCause, at time: ReceiptTime) {
    begin(cause, at: time)
    if let lost = open.map({ $0.lost ?? 0 }) {
      open?.lost = lost + 1
    } else if let last = inherited.indices.last {
      inherited[last].lost = (inherited[last].lost ?? 0) + 1
    }
  }

  /// Corrects the remembered times after a clock change.
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
      // After the clock was set back, the frame's time may be before the start of the gap.
      gap.end = max(gap.start, time)
      changes.append(gap)
      open = nil
    }
    // Not `<=`: a recording that is read again contains the very frame at which its last gap began.
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
