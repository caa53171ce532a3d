import Bluetooth

/// A connection as seen over the air: the state of both sides, including the sequence bits by which a
/// receiver recognizes a retransmission (Core Specification, Vol 6, Part B, §4.5.9).
struct AirLink {
  struct PDU {
    var sender: LinkLayerReception.Sender
    var bytes: [UInt8]
    var time: ReceiptTime
  }

  /// The values of the two lowest bits of a data PDU's header (Vol 6, Part B, §2.4).
  static let continuation: UInt8 = 0b01
  static let start: UInt8 = 0b10
  static let control: UInt8 = 0b11
  /// Maximum payload of a data PDU in bytes, without the data length extension.
  static let capacity = 27

  /// The time between the starts of two PDUs of a connection event, in microseconds. The longest PDU takes
  /// 328 µs.
  private static let turn: Int64 = 500
  private static let interval = Int64(StrapLink.seconds * 1e6)

  let accessAddress: UInt32
  private var central = Side()
  private var peripheral = Side()
  /// The time of the last PDU.
  private var last: ReceiptTime
  /// The start time of the last connection event.
  private var event: ReceiptTime

  private struct Side {
    var sequence: UInt8 = 0
    var expected: UInt8 = 0
  }

  init(accessAddress: UInt32, at time: ReceiptTime) {
    self.accessAddress = accessAddress
    last = time
    event = time
  }

  /// Returns the empty PDUs of all connection events until `time`.
  mutating func idle(until time: ReceiptTime) -> [PDU] {
    var pdus: [PDU] = []
    while time.microseconds(since: event) > Self.interval * 3 / 2 {
      event = event.advanced(by: Self.interval)
      last = max(last, event)
      pdus += [empty(.central), empty(.peripheral)]
    }
    return pdus
  }

  /// Returns the PDUs that send a payload in the next connection event, and again in the one after that if
  /// the acknowledgment is lost.
  /// - Parameter isHeard: Whether the sender receives the acknowledgment for its PDU.
  mutating func send(
    _ payload: [UInt8], kind: UInt8, from sender: LinkLayerReception.Sender, isHeard: Bool,
    at time: ReceiptTime
  ) -> [PDU] {
    last = max(last.advanced(by: Self.turn), time)
    event = last
    guard sender == .peripheral else {
      return [pdu(payload, kind, .central), empty(.peripheral)]
    }
    var pdus = [empty(.central), pdu(payload, kind, .peripheral)]
    guard !isHeard else { return pdus }
    event = event.advanced(by: Self.interval)
    last = event
    // The strap has not received the acknowledgment, so it repeats its last PDU with the same sequence bit,
    // although the central already expects the next one.
    pdus.append(unheard(.central))
    peripheral.sequence ^= 1
    central.expected ^= 1
    pdus.append(pdu(payload, kind, .peripheral))
    return pdus
  }

  private mutating func empty(_ sender: LinkLayerReception.Sender) -> PDU {
    pdu([], Self.continuation, sender)
  }

  /// Returns an empty PDU that the sniffer receives but the other side does not, so that it has to be sent
  /// again.
  private mutating func unheard(_ sender: LinkLayerReception.Sender) -> PDU {
    let before = self
    defer {
      central = before.central
      peripheral = before.peripheral
    }
    return pdu([], Self.continuation, sender)
  }

  /// Returns a PDU that the other side receives.
  private mutating func pdu(_ payload: [UInt8], _ kind: UInt8, _ sender: LinkLayerReception.Sender) -> PDU {
    let own = sender == .central ? central : peripheral
    let header = kind | own.expected << 2 | own.sequence << 3
    let time = last
    last = last.advanced(by: Self.turn)
    if sender == .central {
      central.sequence ^= 1
      peripheral.expected ^= 1
    } else {
      peripheral.sequence ^= 1
      central.expected ^= 1
    }
    return PDU(sender: sender, bytes: [header, UInt8(payload.count)] + payload, time: time)
  }
}

extension ReceiptTime {
  fileprivate func advanced(by microseconds: Int64) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: microsecondsSince1970 &+ microseconds)
  }
}
