import Bluetooth

/// A connection in a sniffer's log. Determines the sender of each packet, removes retransmissions and
/// reassembles frames.
struct LinkLayerConnection: Sendable {
  enum Outcome {
    case nothing
    /// A complete frame. `isFirst` is set if the sniffer missed the start of the connection and this is its
    /// first frame.
    case frame(Frame, LinkLayerReception.Sender, Link, isFirst: Bool)
    case terminated
  }

  struct Frame {
    var bytes: [UInt8]
    /// Whether the log contains the whole frame, not only its beginning.
    var isWhole: Bool
  }

  private struct Side: Sendable {
    var sequence = SequenceWatch()
    var frame = FrameReassembly()
  }

  /// Maximum time in microseconds between two PDUs of one connection event. Within an event, they are 150 µs
  /// apart; events are at least 7.5 ms apart.
  private static let withinEvent: Int64 = 1000

  /// Maximum time in microseconds until a retransmission, if the connection interval is unknown. It allows
  /// for events that the sniffer or the receiver missed. No strap sends a new value this soon.
  private static let usualRepetition: Int64 = 200_000
  private static let intervalUnit: Int64 = 1250

  let link: Link
  let crcInit: UInt32?
  let centralAddress: BluetoothAddress?
  private var rhythm: EventRhythm
  private(set) var isAnnounced: Bool
  private var central = Side()
  private var peripheral = Side()
  private var isEncrypted = false
  /// The channels of Enhanced ATT bearers.
  private var bearers = EnhancedBearers()
  /// Whether a PDU that may have been a notification was not decoded.
  private var hasLost = false
  /// Whether the capture contains empty PDUs, which a side sends when it has no data. A few captures omit
  /// them.
  ///
  /// With empty PDUs, the sequence bit of every PDU is known. Without them, an omitted PDU may have been sent
  /// between two PDUs with the same sequence bit.
  private var hasEmptyPDUs = false
  private var previous: (time: ReceiptTime, sender: LinkLayerReception.Sender)?

  /// The time of the last PDU.
  var lastHeard: ReceiptTime { previous?.time ?? beginning }
  private let beginning: ReceiptTime

  /// - Parameter request: The connection request, if the sniffer received it.
  init(link: Link, request: AdvertisingPDU.ConnectionRequest?, at time: ReceiptTime) {
    self.link = link
    crcInit = request?.crcInit
    centralAddress = request?.central
    isAnnounced = request != nil
    beginning = time
    rhythm = EventRhythm(stated: request.map { Int64($0.interval) * Self.intervalUnit })
  }

  /// Discards incomplete frames, because the sniffer missed packets.
  mutating func abandonFrames() {
    central.frame.abandon()
    peripheral.frame.abandon()
  }

  /// Returns whether a PDU that may have been a notification was lost since the last call.
  mutating func consumeLoss() -> Bool {
    let losses = [central.frame.consumeLoss(), peripheral.frame.consumeLoss(), hasLost]
    hasLost = false
    return losses.contains(true)
  }

  /// - Parameter missing: The number of bytes of the PDU that are missing from the log.
  mutating func receive(
    _ pdu: RawSpan, missing: Int = 0, _ reception: LinkLayerReception, _ time: ReceiptTime,
    _ report: (HostEvent) -> Void
  ) -> Outcome {
    guard let header = pdu.uint8(at: 0) else { return .nothing }
    let isReadable = !isEncrypted || reception.isDecrypted
    let sender = reception.sender ?? inferredSender(of: pdu, isReadable: isReadable, at: time)
    previous = (time, sender)
    let isEmpty = pdu.byteCount == 2 && missing == 0
    if isEmpty {
      hasEmptyPDUs = true
      if sender == .central { rhythm.beat(at: time) }
    }
    var mayBeRepetition = false
    if !isNew(pdu, header, sender, time) {
      mayBeRepetition = !hasEmptyPDUs && isReadable && Self.isWholeNotification(pdu)
      guard mayBeRepetition else {
        report(.anomaly(.retransmission))
        return .nothing
      }
    }
    guard !isEmpty else { return .nothing }
    guard isReadable else {
      report(.unread(link, .encryptedPDU))
      hasLost = hasLost || header & 0b11 != 0b11
      return .nothing
    }
    let payload = pdu.extracting(droppingFirst: 2)
    if mayBeRepetition { report(.anomaly(.perhapsRepetition)) }
    switch header & 0b11 {
    case 0b11: return control(payload)
    case 0b10:
      if payload.uint16LE(at: 2) != L2CAP.attributeChannel { observeOtherChannel(payload, report) }
      return assemble(payload, missing, isStart: true, sender, reception.isDecrypted, report)
    case 0b01: return assemble(payload, missing, isStart: false, sender, reception.isDecrypted, report)
    default: return .nothing
    }
  }

  /// Infers the sender of a PDU if the capture does not state it.
  ///
  /// The sender of an attribute PDU is known from its opcode, and that of a continuation from the side that
  /// has an incomplete frame. For other PDUs, the central is assumed to start each connection event, and the
  /// two sides to alternate.
  private func inferredSender(
    of pdu: RawSpan, isReadable: Bool, at time: ReceiptTime
  ) -> LinkLayerReception.Sender {
    if isReadable, let header = pdu.uint8(at: 0), pdu.byteCount > 2 {
      let isStart = header & 0b11 == 0b10
      if isStart, pdu.uint16LE(at: 4) == L2CAP.attributeChannel, let opcode = pdu.uint8(at: 6) {
        return ATTOpcode.isServers(opcode) ? .peripheral : .central
      }
      let isContinuation = header & 0b11 == 0b01
      if isContinuation, central.frame.isOpen != peripheral.frame.isOpen {
        return central.frame.isOpen ? .central : .peripheral
      }
    }
    guard let previous, (0..<Self.withinEvent).contains(time.microseconds(since: previous.time)) else {
      return .central
    }
    return previous.sender == .central ? .peripheral : .central
  }

  private mutating func isNew(
    _ pdu: RawSpan, _ header: UInt8, _ sender: LinkLayerReception.Sender, _ time: ReceiptTime
  ) -> Bool {
    let expected = header >> 2 & 1
    // A retransmission comes within one and a half connection intervals.
    let window = max(Self.usualRepetition, (rhythm.interval ?? 0) * 3 / 2)
    if sender == .central {
      peripheral.sequence.hear(expected: expected)
      return central.sequence.isNew(pdu, at: time, within: window)
    }
    central.sequence.hear(expected: expected)
    return peripheral.sequence.isNew(pdu, at: time, within: window)
  }

  /// Returns whether the PDU is a complete notification. Only notifications may be sent twice with the same
  /// content; all other attribute PDUs wait for a response.
  private static func isWholeNotification(_ pdu: RawSpan) -> Bool {
    guard let header = pdu.uint8(at: 0), header & 0b11 == 0b10, let length = pdu.uint16LE(at: 2) else {
      return false
    }
    return Int(length) + 6 <= pdu.byteCount && pdu.uint16LE(at: 4) == L2CAP.attributeChannel
      && pdu.uint8(at: 6) == ATTOpcode.handleValueNotification.rawValue
  }

  /// Handles link-layer control PDUs (Vol 6, Part B, §2.4.2). LL_TERMINATE_IND ends the connection, and
  /// LL_START_ENC_REQ starts encryption.
  private mutating func control(_ payload: RawSpan) -> Outcome {
    switch payload.uint8(at: 0) {
    case 0x02: return .terminated
    case 0x05: isEncrypted = true
    default: break
    }
    return .nothing
  }

  private mutating func assemble(
    _ payload: RawSpan, _ missing: Int, isStart: Bool, _ sender: LinkLayerReception.Sender,
    _ isDecrypted: Bool, _ report: (HostEvent) -> Void
  ) -> Outcome {
    func append(to frame: inout FrameReassembly) -> [UInt8]? {
      missing > 0
        ? frame.appendCut(payload, missing: missing, isStart: isStart, report)
        : frame.append(payload, isStart: isStart, mayHoldMIC: isDecrypted, report)
    }
    let frame = sender == .central ? append(to: &central.frame) : append(to: &peripheral.frame)
    guard let frame else { return .nothing }
    defer { isAnnounced = true }
    return .frame(Frame(bytes: frame, isWhole: missing == 0), sender, link, isFirst: !isAnnounced)
  }

  private mutating func observeOtherChannel(_ frame: RawSpan, _ report: (HostEvent) -> Void) {
    guard let traffic = bearers.observe(frame), isAnnounced else { return }
    report(.unread(link, traffic))
    hasLost = hasLost || (traffic == .enhancedAttributeFrame && EnhancedBearers.isPush(frame))
  }
}
