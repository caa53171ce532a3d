import Bluetooth

/// A link and the frames that are being put together on it.
struct LinkState: Sendable {
  let key: UInt32
  let link: Link
  /// A BR/EDR link.
  var isClassic = false
  /// The link was reported; one whose beginning was not seen is reported with its first attribute PDU.
  var isAnnounced = false
  private var fromPeer = FrameReassembly()
  private var fromHost = FrameReassembly()

  init(key: UInt32, link: Link, isAnnounced: Bool = false) {
    self.key = key
    self.link = link
    self.isAnnounced = isAnnounced
  }

  @inline(__always)
  static func key(_ controller: UInt16, _ handle: UInt16) -> UInt32 {
    UInt32(controller) << 16 | UInt32(handle)
  }

  @inline(__always)
  func isAssembling(_ direction: HCIDirection?) -> Bool {
    direction == .hostToController ? fromHost.isOpen : fromPeer.isOpen
  }

  /// - Returns: The whole frame that this fragment completes.
  mutating func assemble(
    _ fragment: RawSpan, isStart: Bool, _ direction: HCIDirection?, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    if direction == .hostToController { return fromHost.take(fragment, isStart: isStart, report) }
    return fromPeer.take(fragment, isStart: isStart, report)
  }

  mutating func abandonFrames() {
    fromPeer = FrameReassembly()
    fromHost = FrameReassembly()
  }
}
