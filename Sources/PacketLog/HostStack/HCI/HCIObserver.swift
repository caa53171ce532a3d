public import Bluetooth

/// Follows the traffic between a host and its controllers from outside, and says what it means.
///
/// A passive observer: it sees each packet once, in order, and never asks. What it learns of a peer's handles
/// outlives the link, because a host that knows a bonded peer does not discover it again.
public struct HCIObserver: Sendable {
  private var links = LinkTable()
  private var attributes = AttributeKnowledge()
  private var controllers = ControllerTable()

  public init() {}

  /// The handles of a peer, as far as they were seen.
  public func map(for peer: BluetoothAddress) -> AttributeMap? { attributes.maps[peer] }

  /// Takes one HCI packet, without the indicator octet of the UART transport.
  ///
  /// - Parameter direction: `nil` where the log does not say; then the packet's content decides.
  @inline(__always)
  public mutating func observe(
    _ bytes: RawSpan, type: HCIPacketType, direction: HCIDirection?, controller: UInt16,
    report: (HostEvent) -> Void
  ) {
    switch type {
    case .aclData: observeACL(bytes, direction, controller, report)
    case .event: observeEvent(bytes, controller, report)
    case .command: observeCommand(bytes, controller, report)
    case .synchronousData, .isochronousData: break
    }
  }

  /// The controller started anew: its links are gone.
  public mutating func resetController(_ controller: UInt16, report: (HostEvent) -> Void) {
    endAll(links.removeAll(of: controller), report)
  }

  /// A monitor log says something of a controller: it appeared, vanished, was opened or closed. Its links are
  /// gone.
  ///
  /// - Parameters:
  ///   - record: The record's octets; that of a controller that appeared has its address.
  ///   - isRestated: The log that goes on where another ended begins with what is there. Then the links are
  ///     too, unless the controller is another.
  public mutating func observeController(
    _ controller: UInt16, _ record: RawSpan, isRestated: Bool, report: (HostEvent) -> Void
  ) {
    let isOther = controllers.appear(controller, record)
    if !isRestated || isOther { resetController(controller, report: report) }
  }

  /// Whether an event tells the beginning of a link that stands already, as the log does that goes on where
  /// another ended. It is no news then.
  public func isRestatement(_ bytes: RawSpan, type: HCIPacketType, controller: UInt16) -> Bool {
    let beginnings = [
      LESubevent.connectionComplete, LESubevent.enhancedConnectionComplete,
      LESubevent.enhancedConnectionCompleteV2,
    ]
    guard type == .event, bytes.uint8(at: 0) == HCIEventCode.leMeta,
      bytes.uint8(at: 2).map(beginnings.contains) == true,
      let connection = LEConnectionComplete(bytes.extracting(droppingFirst: 2)), connection.status == 0
    else { return false }
    return links.peer(controller, connection.handle) == connection.peer
  }

  /// The recorder dropped packets: what was half assembled or half asked is void.
  public mutating func lostPackets() {
    links.abandonFrames()
    attributes.abandonRequests()
  }

  /// Another recording begins in the same log: what it says of links and controllers has nothing to do with
  /// those before.
  public mutating func beginSection(report: (HostEvent) -> Void) {
    endAll(links.removeAll(), report)
    controllers = ControllerTable()
  }

  private mutating func endAll(_ ended: [Link], _ report: (HostEvent) -> Void) {
    for link in ended { end(link, reason: 0x16, report) }
  }

  private mutating func end(_ link: Link, reason: UInt8, _ report: (HostEvent) -> Void) {
    attributes.end(link, reason: reason, report)
    report(.disconnected(link, reason: reason))
  }

  /// A new log begins: links and controllers are forgotten, what was learnt of peers is kept.
  public mutating func beginLog() {
    for link in links.removeAll() { attributes.forget(link) }
    attributes.forgetServers()
    controllers = ControllerTable()
  }

  // MARK: - ACL

  private static let aclHeaderLength = 4

  @inline(__always)
  private mutating func observeACL(
    _ bytes: RawSpan, _ direction: HCIDirection?, _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    guard let header = bytes.uint16LE(at: 0) else { return loseLinks(of: controller, report) }
    let handle = header & 0x0FFF
    guard let place = links.place(controller, handle) ?? placeWithRoom(controller, handle, report) else {
      return
    }
    let boundary = header >> 12 & 0b11
    let isStart = boundary != 0b01
    let sender = direction ?? links[place].sender(ofFragmentAt: boundary)
    guard let length = bytes.uint16LE(at: 2), bytes.byteCount >= Self.aclHeaderLength + Int(length) else {
      return observeCutACL(bytes, isStart: isStart, place, direction, sender, controller, report)
    }
    let payload = bytes.extracting(4..<4 + Int(length))
    if isStart, payload.uint16LE(at: 2) != L2CAP.attributeChannel {
      observeOtherChannel(payload, place, report)
    }
    if isStart, let frameLength = payload.uint16LE(at: 0), Int(frameLength) + 4 == payload.byteCount,
      !links[place].isAssembling(sender)
    {
      // The usual case: the frame is one fragment and is read where it lies.
      return observeFrame(payload, place, direction, sender, controller, report)
    }
    let frame = links[place].assemble(payload, isStart: isStart, sender, report)
    if links[place].takeLoss(sender) { miss(place, report) }
    if let frame { observeFrame(frame.span.bytes, place, direction, sender, controller, report) }
  }

  @inline(__always)
  private mutating func observeFrame(
    _ frame: RawSpan, _ place: Int, _ direction: HCIDirection?, _ sender: HCIDirection,
    _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    guard frame.uint16LE(at: 2) == L2CAP.attributeChannel, !links[place].isClassic else { return }
    let pdu = frame.extracting(droppingFirst: 4)
    guard let opcode = pdu.uint8(at: 0) else { return report(.anomaly(.truncatedPDU)) }
    let isFromPeer = announce(place, opcode, direction, sender, report)
    attributes.observe(
      pdu, on: links[place].link, isFromPeer: isFromPeer, host: controllers.identity(of: controller), report)
  }

  /// A link carries an attribute PDU.
  ///
  /// - Returns: Whether the peer sent it.
  @inline(__always)
  private mutating func announce(
    _ place: Int, _ opcode: UInt8, _ direction: HCIDirection?, _ sender: HCIDirection,
    _ report: (HostEvent) -> Void
  ) -> Bool {
    if !links[place].isAnnounced {
      links[place].isAnnounced = true
      report(.connected(links[place].link))
    }
    return direction.map { $0 == .controllerToHost }
      ?? links[place].isFromPeer(opcode: opcode, startedBy: sender)
  }

  // MARK: - What was not recorded whole, or is not read

  private mutating func observeCutACL(
    _ bytes: RawSpan, isStart: Bool, _ place: Int, _ direction: HCIDirection?, _ sender: HCIDirection,
    _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    report(.anomaly(.truncatedPacket))
    guard !links[place].isClassic else { return }
    guard let length = bytes.uint16LE(at: 2) else {
      // Fragments that continue it must not be added to another frame.
      links[place].abandonFrame(sender)
      return miss(place, report)
    }
    let payload = bytes.extracting(droppingFirst: Self.aclHeaderLength)
    if isStart, payload.uint16LE(at: 2) != L2CAP.attributeChannel {
      observeOtherChannel(payload, place, report)
    }
    let frame = links[place].assembleCut(
      payload, missing: Int(length) - payload.byteCount, isStart: isStart, sender, report)
    if links[place].takeLoss(sender) { miss(place, report) }
    guard let frame, let frameLength = frame.span.bytes.uint16LE(at: 0) else { return }
    let pdu = frame.span.bytes.extracting(droppingFirst: FrameReassembly.headerLength)
    guard let opcode = pdu.uint8(at: 0) else { return miss(place, report) }
    let isFromPeer = announce(place, opcode, direction, sender, report)
    attributes.observeBeginning(
      pdu, length: Int(frameLength), on: links[place].link, isFromPeer: isFromPeer,
      host: controllers.identity(of: controller), report)
  }

  private mutating func observeOtherChannel(
    _ frame: RawSpan, _ place: Int, _ report: (HostEvent) -> Void
  ) {
    guard !links[place].isClassic, let traffic = links[place].bearers.observe(frame),
      links[place].isAnnounced
    else { return }
    report(.unread(links[place].link, traffic))
    if traffic == .enhancedAttributeFrame, EnhancedBearers.isPush(frame) { miss(place, report) }
  }

  /// A packet of the link that may have been a notification is missing.
  private mutating func miss(_ place: Int, _ report: (HostEvent) -> Void) {
    guard links[place].isAnnounced, !links[place].isClassic else { return }
    attributes.miss(on: links[place].link, report)
  }

  /// A packet was cut before it says of which link it is.
  private mutating func loseLinks(of controller: UInt16, _ report: (HostEvent) -> Void) {
    report(.anomaly(.truncatedPacket))
    for place in links.places(of: controller) {
      links[place].abandonFrames()
      miss(place, report)
    }
  }

  // MARK: - Events and commands

  private mutating func observeEvent(
    _ bytes: RawSpan, _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    guard let code = bytes.uint8(at: 0), let length = bytes.uint8(at: 1) else {
      return report(.anomaly(.truncatedPacket))
    }
    // A length octet is the packet's own claim; what is there is what can be read.
    let parameters = bytes.extracting(droppingFirst: 2).extracting(first: Int(length))
    switch code {
    case HCIEventCode.disconnectionComplete: disconnect(parameters, controller, report)
    case HCIEventCode.connectionComplete:
      if parameters.uint8(at: 0) == 0, let handle = parameters.uint16LE(at: 1) {
        links.addClassic(controller, handle & 0x0FFF)
      }
    case HCIEventCode.leMeta: observeLE(parameters, controller, report)
    case HCIEventCode.commandComplete: controllers.complete(controller, parameters)
    default: break
    }
  }

  private mutating func observeLE(
    _ parameters: RawSpan, _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    guard let subevent = parameters.uint8(at: 0) else { return report(.anomaly(.truncatedPacket)) }
    switch subevent {
    case LESubevent.connectionComplete, LESubevent.enhancedConnectionComplete,
      LESubevent.enhancedConnectionCompleteV2:
      guard let connection = LEConnectionComplete(parameters) else {
        endStaleLink(parameters, controller, report)
        return report(.anomaly(.truncatedPacket))
      }
      connect(connection, controller, report)
    case LESubevent.advertisingReport, LESubevent.extendedAdvertisingReport:
      AdvertisingReports.forEachName(parameters) { attributes.name($0, $1, report) }
    default: break
    }
  }

  private mutating func connect(
    _ connection: LEConnectionComplete, _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    guard connection.status == 0 else { return }
    // There are neither two links on one handle nor two to one peer: the end of the older was not recorded.
    while let stale = links.remove(controller, connection.handle)
      ?? links.remove(controller, to: connection.peer)
    {
      end(stale, reason: 0x16, report)
    }
    makeRoom(report)
    guard let link = links.add(controller, connection) else { return }
    report(.connected(link))
  }

  /// The event of a new link was cut before its peer: an older link on its handle has ended all the same, and
  /// the new one is nobody's.
  private mutating func endStaleLink(
    _ parameters: RawSpan, _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    guard parameters.uint8(at: 1) == 0, let handle = parameters.uint16LE(at: 2),
      let stale = links.remove(controller, handle & 0x0FFF)
    else { return }
    end(stale, reason: 0x16, report)
  }

  private mutating func placeWithRoom(
    _ controller: UInt16, _ handle: UInt16, _ report: (HostEvent) -> Void
  ) -> Int? {
    makeRoom(report)
    return links.place(controller, handle)
  }

  /// Gives up the oldest link where there are as many as are followed.
  private mutating func makeRoom(_ report: (HostEvent) -> Void) {
    guard let oldest = links.removeOldestIfFull() else { return }
    report(.anomaly(.tooManyLinks))
    guard oldest.isAnnounced else { return }
    end(oldest.link, reason: 0x16, report)
  }

  private mutating func disconnect(
    _ parameters: RawSpan, _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    guard let status = parameters.uint8(at: 0), let handle = parameters.uint16LE(at: 1) else {
      return report(.anomaly(.truncatedPacket))
    }
    let reason = parameters.uint8(at: 3)
    if reason == nil { report(.anomaly(.truncatedPacket)) }
    guard status == 0, let link = links.remove(controller, handle & 0x0FFF) else { return }
    end(link, reason: reason ?? 0, report)
  }

  private mutating func observeCommand(
    _ bytes: RawSpan, _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    controllers.command(controller, bytes)
    if bytes.uint16LE(at: 0) == HCICommandCode.reset { resetController(controller, report: report) }
  }
}
