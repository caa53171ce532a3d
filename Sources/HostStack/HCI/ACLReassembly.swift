import Bluetooth

/// Puts the fragments of one direction together to L2CAP frames (Core Specification, Vol 4, Part E, §5.4.2).
struct ACLReassembly: Sendable {
  private var frame: [UInt8] = []

  var isOpen: Bool { !frame.isEmpty }

  mutating func take(
    _ fragment: RawSpan, isStart: Bool, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    if isStart {
      if isOpen { report(.anomaly(.startInsideFrame)) }
      frame.removeAll()
    } else if !isOpen {
      report(.anomaly(.continuationWithoutStart))
      return nil
    }
    frame.append(contentsOf: fragment.copiedBytes())
    guard let length = frame.span.bytes.uint16LE(at: 0) else { return nil }
    let expected = Int(length) + 4
    guard frame.count <= expected else {
      report(.anomaly(.frameTooLong))
      frame.removeAll()
      return nil
    }
    guard frame.count == expected else { return nil }
    defer { frame = [] }
    return frame
  }
}
