package import Bluetooth

/// A gap in a monitor's measurements that has not been stored yet.
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

/// Tracks the gaps between the measurement frames of one strap.
///
/// A gap extends from the receipt of the last frame before it to the receipt of the first frame after it,
/// regardless of when its cause was detected. Only the first cause is recorded.
package struct GapTracker: Sendable {
  /// The receipt time of the last measurement frame.
  private(set) var lastFrame: ReceiptTime?
  private(set) var open: GapDraft? { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// Gaps that were still open when an earlier run ended, sorted by their start. The first measurement frames
  /// of this run end them. In a recording, a frame from before a gap does not end the gap. A live frame ends
  /// all gaps even if its time is earlier, because the clock may have been set back.
  private var inherited: [GapDraft] { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// Whether the next measurement frame may end a gap. This is stored because every frame checks it.
  private(set) var isOpen: Bool
  /// Whether the strap is one of the user's monitors, for which a gap can begin before the first measurement
  /// frame.
  private let isExpected: Bool
  /// Whether ``inherited`` is one gap that was not recorded by the earlier run, but inferred from the
  /// assumption that it was killed.
  private var isAssumed = false
  private let lastMeasurement: ReceiptTime?
  /// Gaps that were created, changed or ended since the last call of ``drainChanges()``.
  private(set) var changes: [GapDraft] = []

  /// - Parameters:
  ///   - inherited: The gaps that were still open when an earlier run ended.
  ///   - lastMeasurement: The receipt time of the last frame that an earlier live run committed. Without a
  ///     gap since then, that run was killed.
  ///   - missedSince: For a strap without any committed frame: the start of an earlier run that was killed
  ///     and may have received frames. A gap since then is stored at once.
  ///   - isExpected: Whether the strap is one of the user's monitors.
  package init(
    inherited: [GapDraft] = [], lastMeasurement: ReceiptTime? = nil, missedSince: ReceiptTime? = nil,
    isExpected: Bool = false
  ) {
    var inherited = inherited.sorted { $0.start < $1.start }
    self.lastMeasurement = lastMeasurement
    if inherited.isEmpty, let start = lastMeasurement ?? missedSince {
      inherited = [GapDraft(start: start, cause: .gatewayStopped)]
      if lastMeasurement == nil { changes = inherited }
      isAssumed = true
    }
    self.inherited = inherited
    self.isExpected = isExpected
    isOpen = !inherited.isEmpty
  }

  /// The cause of the current gap; `nil` without a gap.
  var cause: GapCause? { open?.cause ?? inherited.last?.cause }

  /// Records that a measurement frame was received.
  @inline(__always)
  mutating func receive(at time: ReceiptTime) {
    if isOpen { close(at: time) }
    lastFrame = time
  }

  /// Begins a gap that lasts until the next measurement frame.
  mutating func begin(_ cause: GapCause, at time: ReceiptTime) {
    guard open == nil else { return }
    // Before its first measurement frame, a strap has a gap only if it is one of the user's monitors. An open
    // gap of an earlier run simply continues.
    guard lastFrame != nil || (isExpected && inherited.isEmpty) else { return }
    let gap = GapDraft(start: lastFrame ?? time, cause: cause)
    open = gap
    inherited.removeAll { $0.start == gap.start }
    changes.append(gap)
  }

  /// Continues the earlier run: it was not killed, so nothing is missing since its last measurement.
  mutating func resume() {
    guard isAssumed, lastFrame == nil else { return }
    inherited.removeAll()
    changes.removeAll()
    lastFrame = lastMeasurement
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

  /// Corrects the remembered times after a change of the wall clock.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    lastFrame = lastFrame.map(corrected)
    if let start = open?.start { open?.start = corrected(start) }
    for index in inherited.indices { inherited[index].start = corrected(inherited[index].start) }
  }

  mutating func drainChanges() -> [GapDraft] {
    defer { changes.removeAll() }
    return changes
  }

  private mutating func close(at time: ReceiptTime) {
    if var gap = open {
      // If the clock was set back, the measurement frame's time may be before the start of the gap.
      gap.end = max(gap.start, time)
      changes.append(gap)
      open = nil
    }
    // `<` and not `<=`: the frame at the start of a gap is the last one before the gap. It occurs again if a
    // recording is read again, and must not end the gap.
    let ended = inherited.prefix { isExpected || $0.start < time }
    for (index, gap) in ended.enumerated() {
      var gap = gap
      // If there is a later gap, a measurement frame must have arrived between the two. So the gap ended no
      // later than the start of the later one.
      gap.end = index + 1 < ended.count ? ended[index + 1].start : max(gap.start, time)
      changes.append(gap)
    }
    inherited.removeFirst(ended.count)
  }
}
