public import Bluetooth

/// Interprets the HCI traffic between a host and its controllers.
///
/// Pass it each packet once, in order. The attributes of a peer are remembered after its link ends, because a
/// host does not discover the attributes of a bonded peer again.
///
/// ```swift
/// var log = try PacketLogFile.open(path: "session.btsnoop")
/// var observer = HCIObserver()
/// while try log.readRecord({ record, bytes in
///   guard case .hci(let type, let direction, let controller) = record.content else { return }
///   observer.observe(bytes, type: type, direction: direction, controller: controller) { print($0) }
/// }) {}
/// ```
public struct HCIObserver: Sendable {
  private var links = LinkTable()
  private var attributes = AttributeKnowledge()
  private var controllers = ControllerTable()

  public init() {}

  /// Returns the known attributes of a peer.
  public func map(for peer: BluetoothAddress) -> AttributeMap? { attributes.maps[peer] }

  /// Handles one HCI packet without the packet indicator of the UART transport.
  ///
  /// - Parameter direction: The direction; `nil` to infer it from the packet, if the log does not state it.
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

  /// Ends all links of a controller that was reset.
  public mutating func resetController(_ controller: UInt16, report: (HostEvent) -> Void) {
    endAll(links.removeAll(of: controller), report)
  }

  /// Handles a record about a controller that was added, removed, opened, or closed. All its links end.
  ///
  /// - Parameters:
  ///   - record: The bytes of the record. The record of an added controller contains its address.
  ///   - isRestated: Whether the record is at the start of a log that continues another one. Such a log
  ///     starts with the controllers that are present, so their links end only if a controller differs from
  ///     the previous one.
  public mutating func observeController(
    _ controller: UInt16, _ record: RawSpan, isRestated: Bool, report: (HostEvent) -> Void
  ) {
    let isOther = controllers.appear(controller, record)
    if !isRestated || isOther { resetController(controller, report: report) }
  }

  /// Returns whether a connection event repeats the start of a link that is already known.
  ///
  /// A log that continues another one starts with the connections that exist.
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

  /// Discards incomplete frames and pending requests, because the recorder dropped packets.
  public mutating func lostPackets() {
    links.abandonFrames()
    attributes.abandonRequests()
  }

  /// Handles the start of another recording in the same log. All links end, and the controllers are
  /// forgotten.
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

  /// Handles the start of a new log. Links and controllers are forgotten without events. The attributes of
  /// peers are remembered.
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
      // Usually, the frame is a single fragment, so read it without copying it.
      return observeFrame(payload, place, direction, sender, controller, report)
    }
    let frame = links[place].assemble(payload, isStart: isStart, sender, report)
    if links[place].consumeLoss(sender) { miss(place, report) }
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

  /// Reports a link with its first attribute PDU, if the log does not contain its start.
  ///
  /// - Returns: Whether the peer sent the PDU.
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

  // MARK: - Truncated and unsupported packets

  private mutating func observeCutACL(
    _ bytes: RawSpan, isStart: Bool, _ place: Int, _ direction: HCIDirection?, _ sender: HCIDirection,
    _ controller: UInt16, _ report: (HostEvent) -> Void
  ) {
    report(.anomaly(.truncatedPacket))
    guard !links[place].isClassic else { return }
    guard let length = bytes.uint16LE(at: 2) else {
      // The next fragments belong to this frame, so they must not be appended to an earlier one.
      links[place].abandonFrame(sender)
      return miss(place, report)
    }
    let payload = bytes.extracting(droppingFirst: Self.aclHeaderLength)
    if isStart, payload.uint16LE(at: 2) != L2CAP.attributeChannel {
      observeOtherChannel(payload, place, report)
    }
    let frame = links[place].assembleCut(
      payload, missing: Int(length) - payload.byteCount, isStart: isStart, sender, report)
    if links[place].consumeLoss(sender) { miss(place, report) }
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

  /// Reports a missing packet of the link, which may have been a notification.
  private mutating func miss(_ place: Int, _ report: (HostEvent) -> Void) {
    guard links[place].isAnnounced, !links[place].isClassic else { return }
    attributes.miss(on: links[place].link, report)
  }

  /// Reports a missing packet for each link of a controller, because the recorder cut off the connection
  /// handle.
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
    // The length byte may claim more than the packet contains.
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
    // There can be only one link per handle and per peer. If an older one exists, the log does not contain
    // its end.
    while let stale = links.remove(controller, connection.handle)
      ?? links.remove(controller, to: connection.peer)
    {
      end(stale, reason: 0x16, report)
    }
    makeRoom(report)
    guard let link = links.add(controller, connection) else { return }
    report(.connected(link))
  }

  /// Handles a connection event whose peer address the recorder cut off.
  ///
  /// An older link with the same handle must have ended. The peer of the new link is unknown.
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

  /// Ends the oldest link if the maximum number of links is reached.
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
