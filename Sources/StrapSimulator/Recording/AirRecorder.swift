import Bluetooth
import PacketLog

/// Records what a perfect sniffer would receive: the straps' advertisements and all PDUs of their
/// connections.
struct AirRecorder: SessionRecorder {
  private static let advertisingAccessAddress: UInt32 = 0x8E89_BED6
  private static let firstAccessAddress: UInt32 = 0x50A5_1000
  /// How long packets are held back, in microseconds, because packets with earlier times may still be added:
  /// about two connection intervals.
  private static let timeout: Int64 = 100_000

  private struct Packet {
    var time: ReceiptTime
    var number: Int
    var sender: LinkLayerReception.Sender?
    var bytes: [UInt8]
  }

  private let straps: [StrapProfile]
  private let measurementHandles: [UInt16]
  private var links: [AirLink?]
  private var writer: PCAPWriter
  private var random: SplitMix64
  private let lostAcknowledgements: Double
  private var waiting: [Packet] = []
  private var count = 0
  private(set) var summary = StrapLog.Summary()

  init(
    _ straps: [StrapProfile], to path: String, lostAcknowledgements: Double, seed: UInt64
  ) throws(PacketLogError) {
    self.straps = straps
    self.lostAcknowledgements = lostAcknowledgements
    measurementHandles = straps.map { AttributeDatabase($0).handle(of: .heartRateMeasurement) ?? 0 }
    links = straps.map { _ in nil }
    random = SplitMix64(seed: seed, stream: 0x0061_6972)
    writer = try PCAPWriter(path: path)
  }

  mutating func append(_ event: SimulatedSession.Event) throws(PacketLogError) {
    let time = event.time
    try write(until: time)
    switch event.event {
    case .advertised: advertise(event.strap, time)
    case .connected: connect(event.strap, time)
    case .requested(let pdu): exchange(pdu, .central, event.strap, time)
    case .responded(let pdu, _): exchange(pdu, .peripheral, event.strap, time)
    case .measured(let measurement):
      summary.notifications += 1
      exchange(
        AttributePDU.notification(measurementHandles[event.strap], measurement.encoded), .peripheral,
        event.strap, time)
    case .disconnected(let reason):
      // A strap that disconnects sends LL_TERMINATE_IND. When a connection is lost, no PDU is sent.
      if reason == 0x13 { terminate(event.strap, reason, time) }
      links[event.strap] = nil
    }
  }

  mutating func rotate(to path: String, at time: ReceiptTime) throws(PacketLogError) {
    try write(until: time)
    try writer.close()
    writer = try PCAPWriter(path: path)
  }

  mutating func close() throws(PacketLogError) {
    try write(before: ReceiptTime(microsecondsSince1970: .max))
    try writer.close()
  }

  // MARK: - Packets on the air

  private mutating func advertise(_ strap: Int, _ time: ReceiptTime) {
    let advertisement = StrapAdvertisement(straps[strap])
    let scanResponse: UInt8 = 0x04
    for (type, data) in [(0x00, advertisement.data), (scanResponse, advertisement.scanResponse)] {
      let kind = straps[strap].address.kind == .random ? 0x40 : 0 as UInt8
      var pdu = ByteWriter()
      pdu.append(type | kind)
      pdu.append(UInt8(6 + data.count))
      pdu.append(straps[strap].address)
      pdu.append(data)
      hear(pdu.bytes, nil, at: Self.advertisingAccessAddress, time)
    }
  }

  private mutating func connect(_ strap: Int, _ time: ReceiptTime) {
    let link = AirLink(accessAddress: Self.firstAccessAddress + UInt32(strap), at: time)
    let toRandom: UInt8 = straps[strap].address.kind == .random ? 0x80 : 0
    var pdu = ByteWriter()
    pdu.append(0x05 | toRandom)
    pdu.append(UInt8(34))
    pdu.append(MonitorLog.hostAddress)
    pdu.append(straps[strap].address)
    pdu.appendLE(link.accessAddress)
    pdu.append([0, 0, 0])  // CRC initialization value.
    pdu.append(UInt8(3))  // Transmit window: size and offset.
    pdu.appendLE(UInt16(0))
    pdu.appendLE(StrapLink.interval)
    pdu.appendLE(UInt16(0))  // Latency.
    pdu.appendLE(StrapLink.supervisionTimeout)
    pdu.append([0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0x05])  // Channel map and hop increment.
    hear(pdu.bytes, nil, at: Self.advertisingAccessAddress, time)
    links[strap] = link
  }

  private mutating func terminate(_ strap: Int, _ reason: UInt8, _ time: ReceiptTime) {
    let terminate: [UInt8] = [0x02, reason]
    change(strap, time) {
      $0.send(terminate, kind: AirLink.control, from: .peripheral, isHeard: true, at: time)
    }
  }

  private mutating func exchange(
    _ pdu: [UInt8], _ sender: LinkLayerReception.Sender, _ strap: Int, _ time: ReceiptTime
  ) {
    var frame = ByteWriter()
    frame.appendLE(UInt16(pdu.count))
    frame.appendLE(AttributePDU.channel)
    frame.append(pdu)
    var start = AirLink.start
    for offset in stride(from: 0, to: frame.bytes.count, by: AirLink.capacity) {
      let fragment = Array(frame.bytes[offset..<min(offset + AirLink.capacity, frame.bytes.count)])
      let isHeard = sender == .central || random.unit() >= lostAcknowledgements
      change(strap, time) { $0.send(fragment, kind: start, from: sender, isHeard: isHeard, at: time) }
      start = AirLink.continuation
    }
  }

  private mutating func change(
    _ strap: Int, _ time: ReceiptTime, _ send: (inout AirLink) -> [AirLink.PDU]
  ) {
    guard var link = links[strap] else { return }
    for pdu in send(&link) {
      hear(pdu.bytes, pdu.sender, at: link.accessAddress, pdu.time)
    }
    links[strap] = link
  }

  // MARK: - Writing

  private mutating func hear(
    _ pdu: [UInt8], _ sender: LinkLayerReception.Sender?, at accessAddress: UInt32, _ time: ReceiptTime
  ) {
    var packet = ByteWriter()
    packet.appendLE(accessAddress)
    packet.append(pdu)
    waiting.append(Packet(time: time, number: count, sender: sender, bytes: packet.bytes))
    count += 1
  }

  /// Writes the packets that are old enough that no packet with an earlier time can follow.
  private mutating func write(until time: ReceiptTime) throws(PacketLogError) {
    for strap in links.indices { change(strap, time) { $0.idle(until: time) } }
    try write(before: ReceiptTime(microsecondsSince1970: time.microsecondsSince1970 - Self.timeout))
  }

  private mutating func write(before time: ReceiptTime) throws(PacketLogError) {
    let due = waiting.filter { $0.time < time }.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
    waiting.removeAll { $0.time < time }
    for packet in due {
      summary.records += 1
      try writer.append(packet.bytes, from: packet.sender, time: packet.time)
    }
  }
}
