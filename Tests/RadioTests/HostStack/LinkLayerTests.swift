import Bluetooth
import Testing

@testable import PacketLog

/// Tests packets that a sniffer captured from the air (Core Specification, Vol 6, Part B).
@Suite struct LinkLayerTests {
  private var observer = LinkLayerObserver()
  private var events: [HostEvent] = []
  private var now: Int64 = 0

  private static let accessAddress: [UInt8] = [0x78, 0x56, 0x34, 0x12]
  private static let crcInit: UInt32 = 0x123456

  private mutating func hear(
    _ pdu: [UInt8], _ sender: LinkLayerReception.Sender? = nil, crc: LinkLayerReception.Check = .valid,
    check: [UInt8] = [0, 0, 0], isDecrypted: Bool = false, at accessAddress: [UInt8] = accessAddress
  ) {
    var reported: [HostEvent] = []
    let packet = accessAddress + pdu + check
    observer.observe(
      packet.span.bytes, reception: LinkLayerReception(crc: crc, sender: sender, isDecrypted: isDecrypted),
      time: ReceiptTime(microsecondsSince1970: now)
    ) { reported.append($0) }
    events += reported
    now += 30_000
  }

  private mutating func advertise(_ pdu: [UInt8]) { hear(pdu, at: [0xD6, 0xBE, 0x89, 0x8E]) }

  private mutating func connect(_ accessAddress: [UInt8] = accessAddress) {
    let initiator: [UInt8] = [1, 2, 3, 4, 5, 6]
    let strap: [UInt8] = [0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
    let parameters: [UInt8] = [0x56, 0x34, 0x12, 0, 0, 0, 24, 0] + [UInt8](repeating: 0, count: 10)
    advertise([0x85, 34] + initiator + strap + accessAddress + parameters)
  }

  /// Returns a data PDU: LLID, NESN and SN, and an attribute PDU in one frame.
  private func data(_ sequence: UInt8, expects: UInt8 = 0, _ pdu: [UInt8]) -> [UInt8] {
    let frame = [UInt8(pdu.count), 0, 4, 0] + pdu
    return [0b10 | expects << 2 | sequence << 3, UInt8(frame.count)] + frame
  }

  private func empty(_ sequence: UInt8, expects: UInt8 = 0) -> [UInt8] {
    [0b01 | expects << 2 | sequence << 3, 0]
  }

  private mutating func declare() {
    hear(data(0, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]), .central)
    hear(data(0, expects: 1, [0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A]), .peripheral)
    hear(empty(1, expects: 1), .central)
  }

  private var values: [[UInt8]] {
    events.compactMap { if case .notified(_, _, _, let value) = $0 { value.bytes } else { nil } }
  }

  @Test mutating func `a connection is followed from its request to its end`() {
    advertise([0x40, 12, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0, 5, 0x09] + Array("Belt".utf8))
    connect()
    declare()
    hear(data(1, expects: 0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    hear([0b11, 2, 0x02, 0x13], .central)
    let link = Link(id: 0x4000_0000, peer: .strap)
    #expect(
      events == [
        .named(.strap, "Belt"), .connected(link),
        .declared(link, handle: 0x12, characteristic: .heartRateMeasurement),
        .notified(link, handle: 0x12, characteristic: .heartRateMeasurement, value: [0x06, 60]),
        .disconnected(link, reason: 0x13),
      ])
  }

  @Test mutating func `a PDU that is received twice counts once`() {
    connect()
    let notification = data(0, [0x1B, 0x12, 0x00, 0x06, 60])
    hear(empty(0), .central)
    hear(notification, .peripheral)
    hear(empty(1), .central)  // Still expects 0: the notification was not received.
    hear(notification, .peripheral)
    #expect(values == [[0x06, 60]])
    #expect(events.compactMap(\.anomaly) == [.retransmission])
  }

  @Test mutating func `a repeated sequence bit with other content is a new PDU after a missed one`() {
    connect()
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 61]), .peripheral)
    #expect(values == [[0x06, 60], [0x06, 61]])
  }

  @Test mutating func `a PDU that is repeated although its acknowledgment was received is a repetition`() {
    // The sniffer received the central's acknowledgment, but the strap did not, and sends the value again.
    connect()
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    hear(empty(1, expects: 1), .central)
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    hear(empty(1, expects: 1), .central)
    hear(data(1, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    #expect(values == [[0x06, 60], [0x06, 60]])
    #expect(events.compactMap(\.anomaly).count == 2)
  }

  @Test mutating func `the same content and bit after another PDU of the other side is a new PDU`() {
    connect()
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    hear(empty(1, expects: 1), .central)
    // The sniffer missed an empty PDU of the strap before the central's next packet.
    hear(empty(0, expects: 0), .central)
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    #expect(values == [[0x06, 60], [0x06, 60]])
    #expect(events.compactMap(\.anomaly).isEmpty)
  }

  @Test mutating func `a PDU that is repeated many times counts once, however long that lasts`() {
    connect()
    for _ in 0..<30 {
      hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
      hear(empty(0), .central)
    }
    #expect(values == [[0x06, 60]])
  }

  @Test mutating func `a repetition comes in the next event, however far apart events are`() {
    // The sniffer missed the request. The connection events are half a second apart.
    hear(data(1, [0x1B, 0x20, 0x00, 86]), .peripheral)
    for round in 0..<8 as Range<UInt8> {
      now = Int64(round + 1) * 500_000
      hear(empty(round & 1, expects: round & 1), .central)
      hear(empty(round & 1, expects: 1 - round & 1), .peripheral)
    }
    for round in 9..<11 as Range<Int64> {
      now = round * 500_000
      hear(empty(0, expects: round == 9 ? 0 : 1), .central)
      hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    }
    #expect(values == [[86], [0x06, 60]])
  }

  @Test mutating func `a repeated fragment is not appended to its frame twice`() {
    connect()
    let frame: [UInt8] = [12, 0, 4, 0, 0x1B, 0x12, 0, 0x16, 60, 1, 4, 2, 4, 3, 4, 4]
    hear([0b10, 6] + frame.prefix(6), .peripheral)
    hear(empty(0, expects: 1), .central)
    hear([0b01 | 1 << 3, 5] + frame[6..<11], .peripheral)
    hear(empty(1, expects: 0), .central)
    hear([0b01 | 1 << 3, 5] + frame[6..<11], .peripheral)
    hear(empty(0, expects: 0), .central)
    hear([0b01, 5] + frame[11...], .peripheral)
    #expect(values == [Array(frame.dropFirst(7))])
    #expect(events.compactMap(\.anomaly) == [.retransmission])
  }

  @Test mutating func `without a stated sender, a repetition in a partly missed event is recognized`() {
    connect()
    hear(empty(0))
    now -= 30_000 - 300
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]))
    // The sniffer missed the central's PDU, so the strap's PDU seems to begin the connection event.
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]))
    #expect(values == [[0x06, 60]])
  }

  @Test mutating func `the values of a central's own server have the central's address`() {
    connect()
    hear(data(0, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]), .peripheral)
    hear(data(0, [0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A]), .central)
    hear(data(1, [0x1B, 0x12, 0x00, 0x06, 60]), .central)
    let central = BluetoothAddress(bits: 0x0605_0403_0201, kind: .publicDevice)
    #expect(events.last?.link?.peer == central)
    #expect(events.last?.link?.isLocal == true)
    #expect(events.last?.notified == .heartRateMeasurement)
  }

  @Test
  mutating func `without empty PDUs a repetition and an equal value look the same, so the value is kept`() {
    connect()
    let notification: [UInt8] = [0x1B, 0x12, 0x00, 0x00, 60]
    for _ in 0..<3 { hear(data(0, notification), .peripheral) }
    // The new sequence bit shows that this value is not a repetition.
    hear(data(1, notification), .peripheral)
    #expect(values.count == 4)
    #expect(events.compactMap(\.anomaly) == [.perhapsRepetition, .perhapsRepetition])
  }

  @Test mutating func `a repeated request is a repetition, with and without empty PDUs`() {
    connect()
    hear(data(0, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]), .central)
    hear(data(0, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]), .central)
    #expect(events.compactMap(\.anomaly) == [.retransmission])
  }

  @Test mutating func `the same content a second later is a new PDU`() {
    // A sniffer's export without empty PDUs has no acknowledgments, and all notifications have the same
    // sequence bit.
    connect()
    for _ in 0..<10 {
      hear(data(0, [0x1B, 0x12, 0x00, 0x00, 60]), .peripheral)
      now += 970_000
    }
    #expect(values.count == 10)
  }

  @Test mutating func `a peer that connects again has lost its older connection`() {
    connect()
    connect([1, 2, 3, 4])
    #expect(events.map(\.link?.id) == [0x4000_0000, 0x4000_0000, 0x4000_0001])
    #expect(events.last == .connected(Link(id: 0x4000_0001, peer: .strap)))
  }

  @Test mutating func `ended connections are removed, and silent ones make room for new ones`() {
    for number in 0..<200 as Range<UInt8> {
      let address: [UInt8] = [number, 2, 3, 4]
      hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral, at: address)
      if number < 100 {
        hear([0b11, 2, 0x02, 0x13], .central, at: address)
        hear(empty(1), .peripheral, at: address)
      }
    }
    #expect(values.count == 200)
    #expect(events.compactMap(\.anomaly).isEmpty)
    for number in 0..<200 as Range<UInt8> {
      hear(data(0, [0x1B, 0x12, 0x00, 0x06, 61]), .peripheral, at: [number, 9, 9, 9])
    }
    #expect(values.count == 400)
  }

  @Test mutating func `lost packets discard incomplete frames`() {
    connect()
    let frame: [UInt8] = [5, 0, 4, 0, 0x1B, 0x12, 0, 0x06, 60]
    hear([0b10, 6] + frame.prefix(6), .peripheral)
    observer.lostPackets()
    hear([0b01 | 1 << 3, 3] + frame.dropFirst(6), .peripheral)
    #expect(values.isEmpty)
    #expect(events.compactMap(\.anomaly) == [.continuationWithoutStart])
  }

  @Test mutating func `a packet with a bad CRC is counted and not decoded, whichever program found it`() {
    connect()
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral, crc: .invalid)
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral, crc: .unknown)
    #expect(values.isEmpty)
    #expect(events.compactMap(\.anomaly) == [.crcInvalid, .crcInvalid])
    let pdu = data(0, [0x1B, 0x12, 0x00, 0x06, 60])
    let sum = CRC24.checksum(pdu.span.bytes, from: Self.crcInit)
    hear(
      pdu, .peripheral, crc: .unknown,
      check: [UInt8(sum & 0xFF), UInt8(sum >> 8 & 0xFF), UInt8(sum >> 16)])
    #expect(values.count == 1)
  }

  @Test func `the CRC of an advertisement is the one that Wireshark computes`() {
    // ADV_NONCONN_IND with flags. Wireshark accepts 42 51 27, and no other CRC.
    let pdu: [UInt8] = [0x42, 0x09, 0xA6, 0xA5, 0xA4, 0xA3, 0xA2, 0xC1, 0x02, 0x01, 0x06]
    #expect(CRC24.checksum(pdu.span.bytes, from: LinkLayerObserver.advertisingCRCInit) == 0x275142)
  }

  @Test mutating func `frames in several PDUs are reassembled`() {
    connect()
    let frame: [UInt8] = [12, 0, 4, 0, 0x1B, 0x12, 0, 0x16, 60, 1, 4, 2, 4, 3, 4, 4]
    hear([0b10, 6] + frame.prefix(6), .peripheral)
    hear([0b01 | 1 << 3, 10] + frame.dropFirst(6), .peripheral)
    #expect(values == [Array(frame.dropFirst(7))])
  }

  @Test mutating func `encrypted packets are counted, and packets that the sniffer decrypted are decoded`() {
    connect()
    hear([0b11, 1, 0x05], .central)
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    #expect(values.isEmpty)
    #expect(events.contains { if case .unread(_, .encryptedPDU) = $0 { true } else { false } })
    hear(data(1, [0x1B, 0x12, 0x00, 0x06, 61]), .peripheral, isDecrypted: true)
    var withMIC = data(0, [0x1B, 0x12, 0x00, 0x06, 62])
    withMIC[1] += 4
    hear(withMIC + [0xA, 0xB, 0xC, 0xD], .peripheral, isDecrypted: true)
    #expect(values == [[0x06, 61], [0x06, 62]])
  }

  @Test mutating func `a connection whose request was missed has no peer`() {
    hear(data(0, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    #expect(events.first == .connected(Link(id: 0x4000_0000, peer: nil)))
    #expect(values.count == 1)
  }

  @Test mutating func `a connection with an unknown beginning is announced before its first loss`() {
    let link = Link(id: 0x4000_0000, peer: nil)
    // The first frame stays incomplete, because another frame begins before the rest of it arrives.
    hear([0b10, 6, 12, 0, 4, 0, 0x1B, 0x12], .peripheral)
    hear(data(1, [0x1B, 0x12, 0x00, 0x06, 60]), .peripheral)
    #expect(events.filter { $0.link != nil }.prefix(2) == [.connected(link), .incomplete(link)])
    #expect(values == [[0x06, 60]])
  }

  @Test mutating func `without a sender, the opcode and the order in the event determine it`() {
    connect()
    hear(data(0, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]))
    now -= 30_000 - 300
    hear(data(0, expects: 1, [0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A]))
    hear(empty(1, expects: 1))
    now -= 30_000 - 300
    hear(data(1, [0x1B, 0x12, 0x00, 0x06, 60]))
    #expect(events.last?.notified == .heartRateMeasurement)
  }

  @Test mutating func `a truncated notification is passed on in part, or counts as missed`() {
    connect()
    declare()
    let link = events.compactMap(\.link).first
    let notification = data(1, [0x1B, 0x12, 0x00, 0x16, 60, 0, 4])
    for length in 1..<notification.count {
      events = []
      hear(Array(notification.prefix(length)), .peripheral, check: [])
      // PDU header and L2CAP header are 6 bytes, opcode and handle 3.
      let expected: HostEvent? = link.map {
        length < 9
          ? .incomplete($0)
          : .notifiedInPart(
            $0, handle: 0x12, characteristic: .heartRateMeasurement,
            value: AttributeValue(Array(notification[9..<length])), length: 4)
      }
      #expect(events == [.anomaly(.truncatedPacket)] + [expected].compactMap(\.self), "cut at \(length)")
    }
  }

  @Test mutating func `truncated packets with a wrong CRC and truncated advertisements are ignored`() {
    connect()
    events = []
    hear([0b10, 7, 3, 0, 4, 0, 0x1B, 0x12], .peripheral, crc: .invalid, check: [])
    advertise([0x40, 12, 0x55, 0x44])
    #expect(events == [.anomaly(.truncatedPacket), .anomaly(.truncatedPacket)])
  }

  @Test mutating func `a packet that is shorter than its length field is an anomaly`() {
    hear([0b10], .peripheral, check: [])
    hear([0b10, 200, 1, 2], .peripheral, check: [])
    #expect(events.compactMap(\.anomaly) == [.truncatedPacket, .truncatedPacket])
  }
}
