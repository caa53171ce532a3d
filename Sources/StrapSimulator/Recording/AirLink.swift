import Bluetooth

/// A connection as its two sides keep it: with the bits that tell a repetition from something new
/// (Core Specification, Vol 6, Part B, §4.5.9).
struct AirLink {
  struct PDU {
    var sender: LinkLayerReception.Sender
    var bytes: [UInt8]
    var time: ReceiptTime
  }

  /// What the first two bits of a data PDU say (Vol 6, Part B, §2.4).
  static let continuation: UInt8 = 0b01
  static let start: UInt8 = 0b10
  static let control: UInt8 = 0b11
  /// Octets in one data PDU, without the extension of their length.
  static let capacity = 27

  /// From the beginning of one PDU of an event to that of the next; the longest takes 328 µs on the air.
  private static let turn: Int64 = 500
  private static let interval = Int64(StrapLink.seconds * 1e6)

  let accessAddress: UInt32
  private var central = Side()
  private var peripheral = Side()
  /// When the last PDU was sent.
  private var last: ReceiptTime
  /// When the last event began.
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

  /// The events in which neither side has anything to say.
  mutating func idle(until time: ReceiptTime) -> [PDU] {
    var pdus: [PDU] = []
    while time.microseconds(since: event) > Self.interval * 3 / 2 {
      event = event.advanced(by: Self.interval)
      last = max(last, event)
      pdus += [empty(.central), empty(.peripheral)]
    }
    return pdus
  }

  /// Sends one PDU: in the next event, where the other side's acknowledgement was not heard also in the one
  /// after.
  ///
  /// - Parameter isHeard: The sender hears the acknowledgement.
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
    // The central expects the next one already. The strap's PDU stays what it was, and its sequence bit too.
    pdus.append(unheard(.central))
    peripheral.sequence ^= 1
    central.expected ^= 1
    pdus.append(pdu(payload, kind, .peripheral))
    return pdus
  }

  private mutating func empty(_ sender: LinkLayerReception.Sender) -> PDU {
    pdu([], Self.continuation, sender)
  }

  /// An empty PDU that the sniffer hears and the strap does not; it will come again.
  private mutating func unheard(_ sender: LinkLayerReception.Sender) -> PDU {
    let before = self
    defer {
      central = before.central
      peripheral = before.peripheral
    }
    return pdu([], Self.continuation, sender)
  }

  /// A PDU that the other side gets.
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
