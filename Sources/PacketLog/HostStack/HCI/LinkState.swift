import Bluetooth

/// An HCI connection and its incomplete L2CAP frames.
struct LinkState: Sendable {
  /// The recording host's role on the link.
  enum Role {
    case central
    case peripheral
  }

  let key: UInt32
  let link: Link
  /// `nil` if the log does not contain the start of the link.
  let role: Role?
  /// Whether this is a BR/EDR link.
  var isClassic = false
  /// Whether the link was reported. A link whose start is not in the log is reported with its first attribute
  /// PDU.
  var isAnnounced = false
  /// The channels of Enhanced ATT bearers.
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

  /// Infers the sender of a fragment if the log does not state it.
  ///
  /// On LE, a host starts frames with the boundary flags 00, and a controller with 10 (Core Specification,
  /// Vol 4, Part E, §5.4.2). A continuation comes from the side that has an incomplete frame.
  func sender(ofFragmentAt boundary: UInt16) -> HCIDirection {
    switch boundary {
    case 0b00: .hostToController
    case 0b01: fromHost.isOpen && !fromPeer.isOpen ? .hostToController : .controllerToHost
    default: .controllerToHost
    }
  }

  /// Infers whether the peer sent a PDU if the log does not state it.
  ///
  /// The peripheral is assumed to be the server. If the roles are unknown, the boundary flags of the first
  /// fragment decide.
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

  /// Adds a fragment to the incomplete frame of its sender.
  ///
  /// - Returns: The frame, if this fragment completes it.
  mutating func assemble(
    _ fragment: RawSpan, isStart: Bool, _ sender: HCIDirection, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    if sender == .hostToController { return fromHost.append(fragment, isStart: isStart, report) }
    return fromPeer.append(fragment, isStart: isStart, report)
  }

  /// Handles a fragment that is truncated in the log.
  ///
  /// - Returns: The beginning of the frame, if it belongs to the attribute channel.
  mutating func assembleCut(
    _ fragment: RawSpan, missing: Int, isStart: Bool, _ sender: HCIDirection, _ report: (HostEvent) -> Void
  ) -> [UInt8]? {
    sender == .hostToController
      ? fromHost.appendCut(fragment, missing: missing, isStart: isStart, report)
      : fromPeer.appendCut(fragment, missing: missing, isStart: isStart, report)
  }

  /// Returns whether a frame that may have belonged to the attribute channel was lost since the last call.
  mutating func consumeLoss(_ sender: HCIDirection) -> Bool {
    sender == .hostToController ? fromHost.consumeLoss() : fromPeer.consumeLoss()
  }

  mutating func abandonFrame(_ sender: HCIDirection) {
    if sender == .hostToController { fromHost.abandon() } else { fromPeer.abandon() }
  }

  mutating func abandonFrames() {
    fromHost.abandon()
    fromPeer.abandon()
  }
}
