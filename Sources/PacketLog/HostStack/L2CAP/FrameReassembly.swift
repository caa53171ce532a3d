import Bluetooth

/// Puts the fragments of one direction of one link together to L2CAP basic frames
/// (Core Specification, Vol 3, Part A, §3.1 and §7.2.1).
///
/// Frames of channels that are not followed are only counted through. What is held is what has come, never
/// what a length field claims, and at most one frame of 65,539 bytes.
struct FrameReassembly: Sendable {
  static let headerLength = 4
  private static let micLength = 4

  private var frame: [UInt8] = []
  /// Number of bytes still to come of a frame that is not read.
  private var skipping = 0
  /// A frame that may be one of the attribute channel could not be put together.
  private var hasLost = false

  var isOpen: Bool { !frame.isEmpty || skipping > 0 }

  /// Whether a frame of the attribute channel, or of an unknown one, was lost since the last call.
  mutating func takeLoss() -> Bool {
    defer { hasLost = false }
    return hasLost
  }

  /// - Parameter mayHoldMIC: Four bytes too many are the check of a PDU that a sniffer decrypted, which some
  ///   sniffers leave where it was.
  /// - Returns: The whole frame that this fragment completes, if it is one of the attribute channel.
  mutating func append(
    _ fragment: RawSpan, isStart: Bool, mayHoldMIC: Bool = false, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    guard begin(isStart: isStart, report) else { return nil }
    guard skipping == 0 else {
      skip(fragment.byteCount, report)
      return nil
    }
    fragment.withUnsafeBytes { frame.append(contentsOf: $0) }
    guard let length = frame.span.bytes.uint16LE(at: 0), let channel = frame.span.bytes.uint16LE(at: 2) else {
      return nil
    }
    let expected = Self.headerLength + Int(length)
    if mayHoldMIC, frame.count == expected + Self.micLength { frame.removeLast(Self.micLength) }
    guard frame.count <= expected else {
      report(.anomaly(.frameTooLong))
      hasLost = hasLost || channel == L2CAP.attributeChannel
      abandon()
      return nil
    }
    if frame.count == expected {
      defer { abandon() }
      return channel == L2CAP.attributeChannel ? frame : nil
    }
    if channel != L2CAP.attributeChannel {
      skipping = expected - frame.count
      frame = []
    }
    return nil
  }

  /// Takes a fragment that the log holds only the beginning of. The fragments that continue its frame are
  /// skipped.
  ///
  /// - Parameter missing: Number of bytes that are missing at the fragment's end.
  /// - Returns: The beginning of the frame, if the frame is one of the attribute channel.
  mutating func appendCut(
    _ fragment: RawSpan, missing: Int, isStart: Bool, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    guard begin(isStart: isStart, report) else { return nil }
    guard skipping == 0 else {
      skipping = max(0, skipping - fragment.byteCount - missing)
      return nil
    }
    let beginning = frame + fragment.copiedBytes()
    abandon()
    guard let length = beginning.span.bytes.uint16LE(at: 0),
      let channel = beginning.span.bytes.uint16LE(at: 2)
    else {
      hasLost = true
      return nil
    }
    skipping = max(0, Self.headerLength + Int(length) - beginning.count - missing)
    return channel == L2CAP.attributeChannel ? beginning : nil
  }

  mutating func abandon() {
    frame = []
    skipping = 0
  }

  /// - Returns: `false` for a fragment that continues no frame.
  private mutating func begin(isStart: Bool, _ report: (HostEvent) -> Void) -> Bool {
    if isStart {
      if isOpen { report(.anomaly(.startInsideFrame)) }
      hasLost = hasLost || !frame.isEmpty
      abandon()
    } else if !isOpen {
      report(.anomaly(.continuationWithoutStart))
      hasLost = true
      return false
    }
    return true
  }

  private mutating func skip(_ count: Int, _ report: (HostEvent) -> Void) {
    if count > skipping { report(.anomaly(.frameTooLong)) }
    skipping = max(0, skipping - count)
  }
}
