import Bluetooth

/// A link and the frames that are being put together on it.
struct LinkState: Sendable {
  /// What the recording host is on the link.
  enum Role {
    case central
    case peripheral
  }

  let key: UInt32
  let link: Link
  /// `nil` where the link's beginning was not seen.
  let role: Role?
  /// A BR/EDR link.
  var isClassic = false
  /// The link was reported; one whose beginning was not seen is reported with its first attribute PDU.
  var isAnnounced = false
  /// The channels of enhanced attribute bearers.
  var bearers = EnhancedBearers()
  private var fromPeer = FrameReassembly()
  private var fromHost = FrameReassembly()

  init(key: UInt32, link: Link, role: Role? = nil, isAnnounced: Bool = false) {
    self.key = key
    self.link = link
    self.role = role
    self.isAnnounced = isAnnounced
  }

  @inline(__always)
  static func key(_ controller: UInt16, _ handle: UInt16) -> UInt32 {
    UInt32(controller) << 16 | UInt32(handle)
  }

  /// Who sent a fragment, where the log does not say: on LE a host starts frames with the boundary flags 00
  /// and a controller with 10 (Core Specification, Vol 4, Part E, §5.4.2); a continuation is of the frame
  /// that is open.
  func sender(ofFragmentAt boundary: UInt16) -> HCIDirection {
    switch boundary {
    case 0b00: .hostToController
    case 0b01: fromHost.isOpen && !fromPeer.isOpen ? .hostToController : .controllerToHost
    default: .controllerToHost
    }
  }

  /// Who sent a PDU, where the log does not say: the peripheral is taken for the server. Without a role only
  /// the host starts frames as it does.
  func isFromPeer(opcode: UInt8, startedBy sender: HCIDirection) -> Bool {
    switch role {
    case .central: ATTOpcode.isServers(opcode)
    case .peripheral: !ATTOpcode.isServers(opcode)
    case nil: sender == .controllerToHost && ATTOpcode.isServers(opcode)
    }
  }

  @inline(__always)
  func isAssembling(_ sender: HCIDirection) -> Bool {
    sender == .hostToController ? fromHost.isOpen : fromPeer.isOpen
  }

  /// - Returns: The whole frame that this fragment completes.
  mutating func assemble(
    _ fragment: RawSpan, isStart: Bool, _ sender: HCIDirection, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    if sender == .hostToController { return fromHost.append(fragment, isStart: isStart, report) }
    return fromPeer.append(fragment, isStart: isStart, report)
  }

  /// Takes a fragment of which the log holds only the beginning.
  ///
  /// - Returns: The beginning of the frame, if the frame is one of the attribute channel.
  mutating func assembleCut(
    _ fragment: RawSpan, missing: Int, isStart: Bool, _ sender: HCIDirection, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    sender == .hostToController
      ? fromHost.appendCut(fragment, missing: missing, isStart: isStart, report)
      : fromPeer.appendCut(fragment, missing: missing, isStart: isStart, report)
  }

  /// Whether a frame that may be one of the attribute channel was lost since the last call.
  mutating func takeLoss(_ sender: HCIDirection) -> Bool {
    sender == .hostToController ? fromHost.takeLoss() : fromPeer.takeLoss()
  }

  mutating func abandonFrame(_ sender: HCIDirection) {
    if sender == .hostToController { fromHost.abandon() } else { fromPeer.abandon() }
  }

  mutating func abandonFrames() {
    fromHost.abandon()
    fromPeer.abandon()
  }
}
