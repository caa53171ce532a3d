import Bluetooth

/// One connection on the air: who sends, which PDUs are new, and the frames that they make.
struct LinkLayerConnection: Sendable {
  enum Outcome {
    case nothing
    /// A frame; `isFirst` if it is the first sign of a connection whose beginning was missed.
    case frame(Frame, LinkLayerReception.Sender, Link, isFirst: Bool)
    case terminated
  }

  struct Frame {
    var bytes: [UInt8]
    /// The log holds all of it, not only its beginning.
    var isWhole: Bool
  }

  private struct Side: Sendable {
    var sequence = SequenceWatch()
    var frame = FrameReassembly()
  }

  /// PDUs closer than this are of one connection event: the space between them is 150 µs, an event lasts 7.5
  /// ms or longer.
  private static let withinEvent: Int64 = 1000

  /// How late a repetition may be, because the sniffer or the other side missed the events between; no strap
  /// has anything new to say so soon.
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
  /// The channels of enhanced attribute bearers.
  private var bearers = EnhancedBearers()
  /// A PDU that could have been a notification was not read.
  private var hasLost = false
  /// Sides that have nothing to say send empty PDUs, and few captures leave those out. With them in it every
  /// sequence bit is accounted for; without, two PDUs of the same bit may have had another between them.
  private var hasEmptyPDUs = false
  private var previous: (time: ReceiptTime, sender: LinkLayerReception.Sender)?

  /// When something was heard of the connection last.
  var lastHeard: ReceiptTime { previous?.time ?? beginning }
  private let beginning: ReceiptTime

  /// - Parameter request: With which the connection began, where the sniffer heard it.
  init(link: Link, request: AdvertisingPDU.ConnectionRequest?, at time: ReceiptTime) {
    self.link = link
    crcInit = request?.crcInit
    centralAddress = request?.central
    isAnnounced = request != nil
    beginning = time
    rhythm = EventRhythm(stated: request.map { Int64($0.interval) * Self.intervalUnit })
  }

  /// The sniffer missed packets: what was half assembled is void.
  mutating func abandonFrames() {
    central.frame.abandon()
    peripheral.frame.abandon()
  }

  /// Whether something that may have been a notification was lost since the last call.
  mutating func takeLoss() -> Bool {
    let losses = [central.frame.takeLoss(), peripheral.frame.takeLoss(), hasLost]
    hasLost = false
    return losses.contains(true)
  }

  /// - Parameter missing: Number of bytes that the log does not hold of the PDU.
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

  /// Who sent a PDU where the capture does not say: the opcode tells of an attribute PDU, and an open frame
  /// of what continues it; else the central begins each event, and then the two take turns.
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
    // Nothing repeats what was sent an event and a half ago, where events are that far apart.
    let window = max(Self.usualRepetition, (rhythm.interval ?? 0) * 3 / 2)
    if sender == .central {
      peripheral.sequence.hear(expected: expected)
      return central.sequence.isNew(pdu, at: time, within: window)
    }
    central.sequence.hear(expected: expected)
    return peripheral.sequence.isNew(pdu, at: time, within: window)
  }

  /// Nothing but a notification comes twice in good order: all other exchanges wait for their answer.
  private static func isWholeNotification(_ pdu: RawSpan) -> Bool {
    guard let header = pdu.uint8(at: 0), header & 0b11 == 0b10, let length = pdu.uint16LE(at: 2) else {
      return false
    }
    return Int(length) + 6 <= pdu.byteCount && pdu.uint16LE(at: 4) == L2CAP.attributeChannel
      && pdu.uint8(at: 6) == ATTOpcode.handleValueNotification.rawValue
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
