import Bluetooth

/// Puts the fragments of one direction of one link together to L2CAP basic frames
/// (Core Specification, Vol 3, Part A, §3.1 and §7.2.1).
///
/// Frames of channels that are not followed are only counted through. What is held is what has come, never
/// what a length field claims, and at most one frame of 65,539 octets.
struct FrameReassembly: Sendable {
  static let headerLength = 4
  private static let micLength = 4

  private var frame: [UInt8] = []
  /// How many octets are still to come of a frame that nobody reads.
  private var skipping = 0

  var isOpen: Bool { !frame.isEmpty || skipping > 0 }

  /// - Parameter mayHoldMIC: Four octets too many are the check of a PDU that a sniffer decrypted, which some
  ///   sniffers leave where it was.
  /// - Returns: The whole frame that this fragment completes, where it is one of the attribute channel.
  mutating func append(
    _ fragment: RawSpan, isStart: Bool, mayHoldMIC: Bool = false, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    if isStart {
      if isOpen { report(.anomaly(.startInsideFrame)) }
      abandon()
    } else if !isOpen {
      report(.anomaly(.continuationWithoutStart))
      return nil
    }
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

  mutating func abandon() {
    frame = []
    skipping = 0
  }

  private mutating func skip(_ count: Int, _ report: (HostEvent) -> Void) {
    if count > skipping { report(.anomaly(.frameTooLong)) }
    skipping = max(0, skipping - count)
  }
}
