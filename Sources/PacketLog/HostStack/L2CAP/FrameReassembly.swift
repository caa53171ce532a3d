import Bluetooth

/// The L2CAP channels of LE links (Core Specification, Vol 3, Part A, §2.1).
enum L2CAP {
  static let attributeChannel: UInt16 = 0x0004
  static let signalingChannel: UInt16 = 0x0005
  /// Connection-oriented channels, which are opened on the signaling channel.
  static let dynamicChannels: ClosedRange<UInt16> = 0x0040...0x007F
}

/// Reassembles the L2CAP basic frames of one direction of a link from their fragments (Core Specification,
/// Vol 3, Part A, §3.1 and §7.2.1).
///
/// Only frames of the attribute channel are returned. The buffer grows only with received bytes, never
/// according to a length field, and contains at most one frame of 65,539 bytes.
struct FrameReassembly: Sendable {
  static let headerLength = 4
  private static let micLength = 4

  private var frame: [UInt8] = []
  /// The number of bytes still missing from a frame that is being skipped.
  private var skipping = 0
  /// Whether a frame was lost that may have belonged to the attribute channel.
  private var hasLost = false

  var isOpen: Bool { !frame.isEmpty || skipping > 0 }

  /// Returns whether a frame that may have belonged to the attribute channel was lost since the last call.
  mutating func consumeLoss() -> Bool {
    defer { hasLost = false }
    return hasLost
  }

  /// - Parameter mayHoldMIC: Whether 4 extra bytes are allowed. Some sniffers keep the message integrity code
  ///   when they decrypt a PDU.
  /// - Returns: The frame, if this fragment completes it and it belongs to the attribute channel.
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

  /// Handles a fragment that is truncated in the log. The rest of its frame is skipped.
  ///
  /// - Parameter missing: Number of bytes missing at the end of the fragment.
  /// - Returns: The beginning of the frame, if it belongs to the attribute channel.
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

  /// Prepares for a fragment.
  ///
  /// - Returns: `false` if the fragment continues a frame whose start is missing.
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
