import Bluetooth
import BluetoothCentral

/// What is known of a gap while the session goes on; its monitor is known to whoever asks.
struct GapDraft: Hashable, Sendable {
  var start: ReceiptTime
  var end: ReceiptTime?
  var cause: GapCause
  var lost: Int?
}

/// Where the frames of one strap stopped, and where they went on.
///
/// A gap reaches from the receipt of the last frame before it to that of the first behind it, whatever was noticed when: what the
/// strap sent in between is gone, and no frame that arrived is inside. What began it is its cause; what comes to it before
/// its end is not told.
struct GapTracker: Sendable {
  /// The receipt of the last frame.
  private(set) var lastFrame: ReceiptTime?
  private(set) var open: GapDraft? { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// Gaps that an earlier run left open, in the order in which they began. They end where this run's frames begin; a frame of a
  /// recording from before them ends none. A frame that comes live is behind all of them, whatever the clock says: it was set back.
  private var inherited: [GapDraft] { didSet { isOpen = open != nil || !inherited.isEmpty } }
  /// A frame may end a gap. Kept, because it is asked for each frame.
  private(set) var isOpen: Bool
  /// Whether there may be a gap before the first frame: the strap is one that the user wants followed.
  private let isExpected: Bool
  /// Gaps that began, changed or ended since they were last taken.
  private(set) var changes: [GapDraft] = []

  /// - Parameters:
  ///   - inherited: The gaps that earlier runs left open.
  ///   - lastMeasurement: The receipt of the last frame that a live run committed. Where that run left no gap open, it was ended
  ///     before it could.
  ///   - isExpected: Whether the strap is one that the user wants followed.
  init(inherited: [GapDraft] = [], lastMeasurement: ReceiptTime? = nil, isExpected: Bool = false) {
    var inherited = inherited.sorted { $0.start < $1.start }
    if inherited.isEmpty, let lastMeasurement {
      inherited = [GapDraft(start: lastMeasurement, cause: .gatewayStopped)]
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
    guard open == nil, !inherited.contains(where: { isExpected || $0.start <= time }) || lastFrame != nil
    else { return }
    guard lastFrame != nil || isExpected else { return }
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

  mutating func takeChanges() -> [GapDraft] {
    defer { changes.removeAll() }
    return changes
  }

  private mutating func close(at time: ReceiptTime) {
    if var gap = open {
      // A clock that was set back has frames before the gap behind it.
      gap.end = max(gap.start, time)
      changes.append(gap)
      open = nil
    }
    // A recording that is read again has the frame at which its last gap began.
    let ended = inherited.prefix { isExpected || $0.start < time }
    for (index, gap) in ended.enumerated() {
      var gap = gap
      // Where one began after another, a frame arrived between them.
      gap.end = index + 1 < ended.count ? ended[index + 1].start : max(gap.start, time)
      changes.append(gap)
    }
    inherited.removeFirst(ended.count)
  }
}
