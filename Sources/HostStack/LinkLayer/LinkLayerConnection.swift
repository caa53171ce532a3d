import Bluetooth

/// One connection on the air: which PDUs are new, and the frames that they make.
///
/// A PDU is a retransmission when its sender's last one had the same sequence bit and the same content, the
/// other side has not acknowledged that one in between, and it is only a few connection events old. The
/// sequence bit alone proves nothing: the sniffer may have missed every other PDU. Neither does the content:
/// a strap may say the same thing twice. And what is not acknowledged is sent again at the next event, so
/// what comes a second later is another PDU.
struct LinkLayerConnection: Sendable {
  enum Outcome {
    case nothing
    /// A whole frame; `isFirst` where it is the first sign of a connection whose beginning was missed.
    case frame([UInt8], LinkLayerReception.Sender, Link, isFirst: Bool)
    case terminated
  }

  private struct Side: Sendable {
    var sequence: UInt8?
    var content: [UInt8] = []
    var isAcknowledged = false
    var time = ReceiptTime(microsecondsSince1970: 0)
    var frame = FrameReassembly()
  }

  /// PDUs closer than this are of one connection event: the space between them is 150 µs, an event lasts 7.5
  /// ms or longer.
  private static let withinEvent: Int64 = 1000

  /// How many connection events a retransmission may be late, because the sniffer or the other side missed
  /// those between.
  private static let retransmissionEvents: Int64 = 6
  /// How late it may be where the connection's interval is not known; straps choose 15 to 100 ms.
  private static let usualRetransmission: Int64 = 200_000
  private static let intervalUnit: Int64 = 1250

  let link: Link
  let crcInit: UInt32?
  private let retransmissionWindow: Int64
  private(set) var isAnnounced: Bool
  private var central = Side()
  private var peripheral = Side()
  private var isEncrypted = false
  private var previous: (time: ReceiptTime, sender: LinkLayerReception.Sender)?

  /// When something was heard of the connection last.
  var lastHeard: ReceiptTime { previous?.time ?? beginning }
  private let beginning: ReceiptTime

  /// - Parameter request: With which the connection began, where the sniffer heard it.
  init(link: Link, request: AdvertisingPDU.ConnectionRequest?, at time: ReceiptTime) {
    self.link = link
    crcInit = request?.crcInit
    isAnnounced = request != nil
    beginning = time
    let interval = request.map { Int64($0.interval) * Self.intervalUnit }
    retransmissionWindow =
      interval.map { max($0, 7500) * Self.retransmissionEvents } ?? Self.usualRetransmission
  }

  /// The sniffer missed packets: what was half assembled is void.
  mutating func abandonFrames() {
    central.frame.abandon()
    peripheral.frame.abandon()
  }

  mutating func receive(
    _ pdu: RawSpan, _ reception: LinkLayerReception, _ time: ReceiptTime, _ report: (HostEvent) -> Void
  ) -> Outcome {
    guard let header = pdu.uint8(at: 0) else { return .nothing }
    let sender = reception.sender ?? inferredSender(at: time)
    previous = (time, sender)
    guard isNew(pdu, header, sender, time) else {
      report(.anomaly(.retransmission))
      return .nothing
    }
    guard pdu.byteCount > 2 else { return .nothing }
    guard !isEncrypted || reception.isDecrypted else {
      report(.anomaly(.encryptedPDU))
      return .nothing
    }
    let payload = pdu.extracting(droppingFirst: 2)
    switch header & 0b11 {
    case 0b11: return control(payload)
    case 0b10: return assemble(payload, isStart: true, sender, reception.isDecrypted, report)
    case 0b01: return assemble(payload, isStart: false, sender, reception.isDecrypted, report)
    default: return .nothing
    }
  }

  /// The central begins each event, and then the two take turns.
  private func inferredSender(at time: ReceiptTime) -> LinkLayerReception.Sender {
    guard let previous, (0..<Self.withinEvent).contains(time.microseconds(since: previous.time)) else {
      return .central
    }
    return previous.sender == .central ? .peripheral : .central
  }

  private mutating func isNew(
    _ pdu: RawSpan, _ header: UInt8, _ sender: LinkLayerReception.Sender, _ time: ReceiptTime
  ) -> Bool {
    let sequence = header >> 3 & 1
    let expected = header >> 2 & 1
    acknowledge(of: sender == .central ? \.peripheral : \.central, expected)
    let content = pdu.extracting(droppingFirst: 1).copiedBytes()
    let side: WritableKeyPath<Self, Side> = sender == .central ? \.central : \.peripheral
    let last = self[keyPath: side]
    let isRecent = (0...retransmissionWindow).contains(time.microseconds(since: last.time))
    if last.sequence == sequence, !last.isAcknowledged, isRecent, last.content == content { return false }
    self[keyPath: side].time = time
    self[keyPath: side].sequence = sequence
    self[keyPath: side].content = content
    self[keyPath: side].isAcknowledged = false
    return true
  }

  /// The next sequence bit that one side expects acknowledges the other's last PDU where it differs from that
  /// one's.
  private mutating func acknowledge(of side: WritableKeyPath<Self, Side>, _ expected: UInt8) {
    if let sequence = self[keyPath: side].sequence, sequence != expected {
      self[keyPath: side].isAcknowledged = true
    }
  }

  /// Link-layer control (Vol 6, Part B, §2.4.2): LL_TERMINATE_IND ends, LL_START_ENC_REQ hides what follows.
  private mutating func control(_ payload: RawSpan) -> Outcome {
    switch payload.uint8(at: 0) {
    case 0x02: return .terminated
    case 0x05: isEncrypted = true
    default: break
    }
    return .nothing
  }

  private mutating func assemble(
    _ payload: RawSpan, isStart: Bool, _ sender: LinkLayerReception.Sender, _ isDecrypted: Bool,
    _ report: (HostEvent) -> Void
  ) -> Outcome {
    let frame =
      sender == .central
      ? central.frame.append(payload, isStart: isStart, mayHoldMIC: isDecrypted, report)
      : peripheral.frame.append(payload, isStart: isStart, mayHoldMIC: isDecrypted, report)
    guard let frame else { return .nothing }
    defer { isAnnounced = true }
    return .frame(frame, sender, link, isFirst: !isAnnounced)
  }
}
