public import Bluetooth

/// Interprets the packets that a sniffer captured on the air. It reports the same events as ``HCIObserver``.
///
/// A sniffer misses some packets. A retransmitted PDU is reported once. Encrypted PDUs that the sniffer did
/// not decrypt are counted but not decoded.
///
/// ```swift
/// var log = try PacketLogFile.open(path: "air.pcapng")
/// var observer = LinkLayerObserver()
/// while try log.readRecord({ record, bytes in
///   guard case .linkLayer(let reception) = record.content else { return }
///   observer.observe(bytes, reception: reception, time: record.time) { print($0) }
/// }) {}
/// ```
public struct LinkLayerObserver: Sendable {
  static let advertisingAccessAddress: UInt32 = 0x8E89_BED6
  static let advertisingCRCInit: UInt32 = 0x555555
  /// Maximum number of connections. A sniffer follows one, but a manipulated log may claim any number.
  private static let capacity = 128

  private var connections: [UInt32: LinkLayerConnection] = [:]
  private var attributes = AttributeKnowledge(firstServerLink: 0xC000_0000)
  /// The number of the next link. ``HCIObserver`` uses other numbers, because a log may contain both kinds of
  /// packets.
  private var nextID: UInt32 = 0x4000_0000

  public init() {}

  /// Handles one packet. Its bytes are the access address, PDU header, payload, and, if the sniffer did not
  /// check it, the CRC.
  public mutating func observe(
    _ bytes: RawSpan, reception: LinkLayerReception, time: ReceiptTime, report: (HostEvent) -> Void
  ) {
    guard let accessAddress = bytes.uint32LE(at: 0), let length = bytes.uint8(at: 5),
      bytes.byteCount >= 6 + Int(length)
    else { return observeCut(bytes, reception, time, report) }
    guard isSound(bytes, accessAddress, Int(length), reception) else { return report(.anomaly(.crcInvalid)) }
    let pdu = bytes.extracting(4..<6 + Int(length))
    if accessAddress == Self.advertisingAccessAddress {
      observeAdvertising(pdu, time, report)
    } else {
      observeData(pdu, missing: 0, accessAddress, reception, time, report)
    }
  }

  /// Handles a packet that is truncated in the log, so that its CRC cannot be checked.
  private mutating func observeCut(
    _ bytes: RawSpan, _ reception: LinkLayerReception, _ time: ReceiptTime, _ report: (HostEvent) -> Void
  ) {
    report(.anomaly(.truncatedPacket))
    guard reception.crc != .invalid else { return }
    let accessAddress = bytes.uint32LE(at: 0)
    guard accessAddress != Self.advertisingAccessAddress else { return }
    guard let accessAddress, let length = bytes.uint8(at: 5) else {
      // A packet without an access address may belong to any connection.
      for known in connections.keys.sorted() where accessAddress == nil || accessAddress == known {
        connections[known]?.abandonFrames()
        miss(known, report)
      }
      return
    }
    let pdu = bytes.extracting(droppingFirst: 4)
    observeData(pdu, missing: 2 + Int(length) - pdu.byteCount, accessAddress, reception, time, report)
  }

  /// Reports a missing packet of the connection, which may have been a notification.
  private mutating func miss(_ accessAddress: UInt32, _ report: (HostEvent) -> Void) {
    guard let connection = connections[accessAddress], connection.isAnnounced else { return }
    attributes.miss(on: connection.link, report)
  }

  /// Discards incomplete frames and pending requests, because the recorder dropped packets.
  public mutating func lostPackets() {
    for accessAddress in connections.keys { connections[accessAddress]?.abandonFrames() }
    attributes.abandonRequests()
  }

  /// Handles the start of another recording in the same log. All links end.
  public mutating func beginSection(report: (HostEvent) -> Void) {
    for accessAddress in connections.keys.sorted() { end(accessAddress, reason: 0x16, report) }
  }

  /// Handles the start of a new log. Links are forgotten without events. The attributes of peers are
  /// remembered.
  public mutating func beginLog() {
    for connection in connections.values { attributes.forget(connection.link) }
    connections.removeAll()
    attributes.forgetServers()
  }

  /// Returns whether the CRC is correct. If the sniffer has not checked it, it is computed, provided that its
  /// initial value is known.
  private func isSound(
    _ bytes: RawSpan, _ accessAddress: UInt32, _ length: Int, _ reception: LinkLayerReception
  ) -> Bool {
    guard reception.crc == .unknown else { return reception.crc == .valid }
    let isAdvertising = accessAddress == Self.advertisingAccessAddress
    guard let start = isAdvertising ? Self.advertisingCRCInit : connections[accessAddress]?.crcInit,
      let low = bytes.uint16LE(at: 6 + length), let high = bytes.uint8(at: 8 + length)
    else { return true }
    return CRC24.checksum(bytes.extracting(4..<6 + length), from: start) == UInt32(high) << 16 | UInt32(low)
  }

  private mutating func observeAdvertising(
    _ pdu: RawSpan, _ time: ReceiptTime, _ report: (HostEvent) -> Void
  ) {
    guard let advertisement = AdvertisingPDU(pdu) else { return }
    switch advertisement {
    case .advertisement(let address, let name?): attributes.name(address, name, report)
    case .advertisement: break
    case .connection(let request):
      // If a link ended with a supervision timeout, the log has no packet for its end. Only the peer's next
      // connection request reveals it.
      end(request.accessAddress, reason: 0x16, report)
      for (accessAddress, connection) in connections where connection.link.peer == request.peripheral {
        end(accessAddress, reason: 0x08, report)
      }
      makeRoom(report)
      let link = newLink(request.peripheral)
      connections[request.accessAddress] = LinkLayerConnection(link: link, request: request, at: time)
      report(.connected(link))
    }
  }

  /// - Parameter missing: The number of bytes of the PDU that are missing from the log.
  private mutating func observeData(
    _ pdu: RawSpan, missing: Int, _ accessAddress: UInt32, _ reception: LinkLayerReception,
    _ time: ReceiptTime, _ report: (HostEvent) -> Void
  ) {
    if connections[accessAddress] == nil {
      // Only the start of a frame adds a connection whose start was missed: an empty PDU may be the last
      // packet of a connection that has ended.
      guard let header = pdu.uint8(at: 0), header & 0b11 == 0b10 else { return }
      makeRoom(report)
      connections[accessAddress] = LinkLayerConnection(link: newLink(nil), request: nil, at: time)
    }
    let outcome = connections[accessAddress]?.receive(pdu, missing: missing, reception, time, report)
    // Report the link before any of its other events.
    if case .frame(_, _, let link, isFirst: true) = outcome { report(.connected(link)) }
    if connections[accessAddress]?.consumeLoss() == true { miss(accessAddress, report) }
    switch outcome {
    case .frame(let frame, let sender, let link, _):
      let host = LocalServer.Identity(key: link.id, address: connections[accessAddress]?.centralAddress)
      observe(frame, from: sender, reception.sender == nil, on: link, host, report)
    case .terminated: end(accessAddress, reason: 0x13, report)
    case .nothing, nil: break
    }
  }

  private mutating func observe(
    _ frame: LinkLayerConnection.Frame, from sender: LinkLayerReception.Sender, _ isInferred: Bool,
    on link: Link, _ host: LocalServer.Identity, _ report: (HostEvent) -> Void
  ) {
    let bytes = frame.bytes.span.bytes
    guard bytes.uint16LE(at: 2) == L2CAP.attributeChannel, let length = bytes.uint16LE(at: 0) else { return }
    let pdu = bytes.extracting(droppingFirst: FrameReassembly.headerLength)
    guard let opcode = pdu.uint8(at: 0) else {
      if !frame.isWhole { attributes.miss(on: link, report) }
      return
    }
    // The peripheral is the peer. If the sender is unknown, the peripheral is assumed to be the server.
    let isFromPeer = isInferred ? ATTOpcode.isServers(opcode) : sender == .peripheral
    if frame.isWhole {
      attributes.observe(pdu, on: link, isFromPeer: isFromPeer, host: host, report)
    } else {
      attributes.observeBeginning(
        pdu, length: Int(length), on: link, isFromPeer: isFromPeer, host: host, report)
    }
  }

  /// If the maximum number of connections is reached, ends the one that has been silent longest.
  private mutating func makeRoom(_ report: (HostEvent) -> Void) {
    guard connections.count >= Self.capacity,
      let oldest = connections.min(by: { ($0.value.lastHeard, $0.key) < ($1.value.lastHeard, $1.key) })
    else { return }
    report(.anomaly(.tooManyLinks))
    end(oldest.key, reason: 0x08, report)
  }

  private mutating func end(_ accessAddress: UInt32, reason: UInt8, _ report: (HostEvent) -> Void) {
    guard let connection = connections.removeValue(forKey: accessAddress) else { return }
    attributes.end(connection.link, reason: reason, report)
    if connection.isAnnounced { report(.disconnected(connection.link, reason: reason)) }
  }

  private mutating func newLink(_ peer: BluetoothAddress?) -> Link {
    defer { nextID &+= 1 }
    return Link(id: nextID, peer: peer)
  }
}
