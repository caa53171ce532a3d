import Bluetooth
import Testing

@testable import PacketLog

/// Packets that are truncated in the log, as written by recorders with a length limit.
@Suite struct CutPacketTests {
  private var traffic: HostTraffic = {
    var traffic = HostTraffic()
    traffic.connect()
    traffic.declareMeasurement()
    _ = traffic.drainEvents()
    return traffic
  }()

  private let link = Link(id: 1, peer: .strap)
  /// A notification. ACL header, L2CAP header, opcode and handle are its first 11 bytes.
  private let notification = ACLPacket.attribute(
    [0x1B, 0x12, 0x00, 0x16, 60, 0x00, 0x04, 0x01, 0x04], on: 0x40, .controllerToHost)

  private mutating func receive(_ bytes: some Collection<UInt8>) {
    traffic.observe(.aclData, .controllerToHost, Array(bytes))
  }

  private func inPart(_ value: AttributeValue, length: Int = 6, on link: Link) -> HostEvent {
    .notifiedInPart(
      link, handle: 0x12, characteristic: .heartRateMeasurement, value: value, length: length)
  }

  @Test mutating func `a truncated notification is passed on in part, or counts as missed without a value`() {
    for length in 0..<notification.count {
      traffic.events = []
      receive(notification.prefix(length))
      let expected: HostEvent =
        length < 11
        ? .incomplete(link) : inPart(AttributeValue(Array(notification[11..<length])), on: link)
      #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket), expected], "cut at \(length)")
      // The next notification of the link is still reported.
      traffic.notify()
      #expect(traffic.drainEvents().map(\.isNotification) == [true])
    }
  }

  @Test mutating func `a truncated packet of another channel is not a loss`() {
    receive([0x40, 0x20, 12, 0, 8, 0, 6, 0, 1, 2])
    #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket)])
    receive([0x40, 0x20, 12, 0, 8, 0])
    #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket), .incomplete(link)])
  }

  @Test mutating func `the continuation of a truncated frame is skipped`() {
    let frame = notification.dropFirst(4)
    // Two fragments, the first without its last two bytes.
    receive([0x40, 0x20, 10, 0] + frame.prefix(8))
    receive([0x40, 0x10, UInt8(frame.count - 10), 0] + frame.dropFirst(10))
    #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket), inPart([0x16], on: link)])
    // Here the second fragment is truncated.
    receive([0x40, 0x20, 10, 0] + frame.prefix(10))
    receive([0x40, 0x10, UInt8(frame.count - 10), 0] + frame[14..<15])
    #expect(
      traffic.drainEvents() == [.anomaly(.truncatedPacket), inPart([0x16, 60, 0, 4], on: link)])
  }

  @Test mutating func `a truncated response is ignored, and the next one is not used in its place`() {
    traffic.host([0x0A, 0x12, 0x00])
    receive(ACLPacket.attribute([0x0B, 1, 2, 3], on: 0x40, .controllerToHost).dropLast())
    traffic.peer([0x0B, 0x01])
    #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket)])
    // A truncated request cancels the previous request too.
    traffic.host([0x0A, 0x12, 0x00])
    traffic.observe(
      .aclData, .hostToController,
      ACLPacket.attribute([0x0A, 0x13, 0x00], on: 0x40, .hostToController).dropLast())
    traffic.peer([0x0B, 0x01])
    #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket)])
  }

  @Test mutating func `of several values in one truncated PDU the complete ones are used`() {
    let packet = ACLPacket.attribute(
      [0x23, 0x12, 0, 2, 0, 6, 60, 0x12, 0, 4, 0, 0x16, 61, 0, 4], on: 0x40, .controllerToHost)
    let first = HostEvent.notified(
      link, handle: 0x12, characteristic: .heartRateMeasurement, value: [6, 60])
    receive(packet.dropLast(2))
    #expect(traffic.drainEvents().dropFirst() == [first, inPart([0x16, 61], length: 4, on: link)])
    receive(packet.dropLast(6))
    #expect(traffic.drainEvents().dropFirst() == [first, .incomplete(link)])
  }

  @Test mutating func `complete entries of a truncated attribute list are read`() {
    let measurement: [UInt8] = [0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A]
    let location: [UInt8] = [0x14, 0x00, 0x02, 0x15, 0x00, 0x38, 0x2A]
    let response = ACLPacket.attribute(
      [0x09, 0x07] + measurement + location, on: 0x40, .controllerToHost)
    for length in 9..<response.count {
      traffic = HostTraffic()
      traffic.connect()
      traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
      _ = traffic.drainEvents()
      receive(response.prefix(length))
      let expected: [HostEvent] =
        length < 17 ? [] : [.declared(link, handle: 0x12, characteristic: .heartRateMeasurement)]
      #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket)] + expected, "\(length) bytes")
      // The truncated response has answered the request, so a second response to it is ignored.
      traffic.peer([0x09, 0x07] + location)
      traffic.notify()
      #expect(traffic.drainEvents().map(\.notified) == [length < 17 ? nil : .heartRateMeasurement])
    }
    // An entry of Find Information is a handle and a type. An entry of Find By Type Value is a range.
    traffic.host([0x04, 0x12, 0x00, 0xFF, 0xFF])
    receive(
      ACLPacket.attribute(
        [0x05, 0x01, 0x12, 0x00, 0x38, 0x2A, 0x13, 0x00, 0x02, 0x29], on: 0x40, .controllerToHost
      ).dropLast())
    traffic.notify()
    #expect(traffic.drainEvents().last?.notified == BluetoothUUID(0x2A38))
  }

  @Test mutating func `a truncated Service Changed removes all attributes`() {
    // Both declarations are in one response, because a later list from the first handle on would remove the
    // earlier one.
    traffic.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.peer(
      [0x09, 0x07, 0x02, 0x00, 0x20, 0x03, 0x00, 0x05, 0x2A, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
    traffic.notify()
    #expect(traffic.drainEvents().last?.notified == .heartRateMeasurement)
    receive(
      ACLPacket.attribute([0x1D, 0x03, 0x00, 1, 0, 0xFF, 0xFF], on: 0x40, .controllerToHost).dropLast())
    traffic.events = []
    traffic.notify()
    #expect(traffic.events.map(\.notified) == [nil])
  }

  @Test
  mutating func
    `a truncated value is a loss of the local server, and with an unknown sender of the peer too`()
  {
    traffic = HostTraffic()
    traffic.connect(to: .other)
    traffic.peer([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    traffic.host([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
    let server = Link(id: 0x8000_0000, peer: nil, isLocal: true)
    let sent = ACLPacket.attribute([0x1B, 0x12, 0x00, 0x16, 60, 0, 4], on: 0x40, .hostToController)
    traffic.events = []
    traffic.observe(.aclData, .hostToController, Array(sent.dropLast(2)))
    // The opcode of the truncated packet shows that the host's own server sent it, so no value of the peer is
    // lost.
    traffic.observe(.aclData, .hostToController, Array(sent.prefix(9)))
    traffic.observe(.aclData, .hostToController, Array(sent.prefix(8)))
    #expect(
      traffic.events == [
        .anomaly(.truncatedPacket), inPart([0x16, 60], length: 4, on: server),
        .anomaly(.truncatedPacket), .incomplete(server),
        .anomaly(.truncatedPacket), .incomplete(server), .incomplete(Link(id: 1, peer: .other)),
      ])
  }

  @Test mutating func `a link with an unknown beginning begins with a truncated value`() {
    traffic = HostTraffic()
    receive(notification.prefix(9))
    #expect(
      traffic.drainEvents() == [
        .anomaly(.truncatedPacket), .connected(Link(id: 1, peer: nil)),
        .incomplete(Link(id: 1, peer: nil)),
      ])
  }

  @Test mutating func `an event that is truncated before the reason ends the link`() {
    traffic.event([0x05, 4, 0, 0x40, 0])
    #expect(traffic.drainEvents() == [.anomaly(.truncatedPacket), .disconnected(link, reason: 0)])
  }

  @Test mutating func `a new link with a truncated peer address is not the older one on its handle`() {
    let event = HCIEventPacket.leConnectionComplete(
      handle: 0x40, peer: .other, interval: 24, supervisionTimeout: 42)
    traffic.event(Array(event.prefix(12)))
    #expect(traffic.drainEvents() == [.disconnected(link, reason: 0x16), .anomaly(.truncatedPacket)])
    traffic.notify()
    let next = Link(id: 2, peer: nil)
    #expect(
      traffic.drainEvents() == [
        .connected(next), .notified(next, handle: 0x12, characteristic: nil, value: [0x06, 60]),
      ])
  }

  // MARK: - Unsupported PDUs

  @Test mutating func `frames of enhanced ATT bearers are reported, and a value in one is missed`() {
    // The host and the peer open a credit-based channel for EATT: the host's end is 0x0041, the peer's
    // 0x0051.
    let request: [UInt8] = [0x17, 7, 10, 0, 0x27, 0, 64, 0, 64, 0, 9, 0, 0x41, 0]
    let response: [UInt8] = [0x18, 7, 10, 0, 64, 0, 64, 0, 9, 0, 0, 0, 0x51, 0]
    let frames: [(payload: [UInt8], direction: HCIDirection)] = [
      ([14, 0, 5, 0] + request, .hostToController), ([14, 0, 5, 0] + response, .controllerToHost),
      ([5, 0, 0x51, 0, 3, 0, 0x0A, 0x12, 0], .hostToController),
      ([7, 0, 0x41, 0, 5, 0, 0x1B, 0x12, 0, 6, 60], .controllerToHost),
      ([7, 0, 0x44, 0, 5, 0, 0x1B, 0x12, 0, 6, 60], .controllerToHost),
    ]
    for (payload, direction) in frames {
      let boundary: UInt8 = direction == .hostToController ? 0 : 0x20
      traffic.observe(.aclData, direction, [0x40, boundary, UInt8(payload.count), 0] + payload)
    }
    #expect(
      traffic.events == [
        .unread(link, .enhancedAttributeFrame), .unread(link, .enhancedAttributeFrame),
        .incomplete(link), .unread(link, .channelFrame),
      ])
  }

  @Test mutating func `an undefined opcode is reported, from either side and in part`() {
    traffic.host([0x0A, 0x12, 0x00])
    traffic.peer([0x2B, 1, 2])
    traffic.host([0x54, 1, 2])
    receive(ACLPacket.attribute([0x2B, 1, 2], on: 0x40, .controllerToHost).dropLast())
    let unread = HostEvent.unread(link, .unknownOpcode)
    #expect(traffic.drainEvents() == [unread, unread, .anomaly(.truncatedPacket), unread])
    // The read request is still pending, so its response is reported.
    traffic.peer([0x0B, 0x06, 60])
    #expect(traffic.events.count == 1)
  }
}
