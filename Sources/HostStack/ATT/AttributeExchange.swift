import Bluetooth

/// The conversation of a client and a server: what was asked, and what the answers say about the server's
/// attributes.
struct AttributeExchange: Sendable {
  let link: Link
  var map: AttributeMap { didSet { latest = nil } }
  /// The last handle that notified: most often it is the next one too.
  private var latest: (handle: UInt16, characteristic: BluetoothUUID?)?
  var request: AttributeRequest?
  /// A value that is being read piece by piece.
  var pieces: (handle: UInt16, bytes: [UInt8])?

  init(link: Link, map: AttributeMap) {
    self.link = link
    self.map = map
  }

  mutating func abandonRequest() {
    request = nil
    pieces = nil
  }

  // MARK: - From the client

  mutating func observeClient(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard let opcode = pdu.uint8(at: 0) else { return }
    guard opcode != ATTOpcode.handleValueConfirmation.rawValue else { return }
    // A command has no answer, and may stand between a request and its own: what it writes is written.
    guard opcode != ATTOpcode.writeCommand.rawValue else { return write(AttributeRequest(pdu), report) }
    request = AttributeRequest(pdu)
  }

  // MARK: - From the server

  @inline(__always)
  mutating func observeServer(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    if pdu.uint8(at: 0) == ATTOpcode.handleValueNotification.rawValue {
      guard let handle = pdu.uint16LE(at: 1) else { return report(.anomaly(.truncatedPDU)) }
      let characteristic = characteristic(at: handle)
      return report(
        .notified(
          link, handle: handle, characteristic: characteristic,
          value: AttributeValue(pdu.extracting(droppingFirst: 3))))
    }
    observeRare(pdu, report)
  }

  @inline(__always)
  private mutating func characteristic(at handle: UInt16) -> BluetoothUUID? {
    if let latest, latest.handle == handle { return latest.characteristic }
    let characteristic = map.characteristic(at: handle)
    latest = (handle, characteristic)
    return characteristic
  }

  private mutating func observeRare(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard let opcode = pdu.uint8(at: 0).flatMap(ATTOpcode.init(rawValue:)) else { return }
    switch opcode {
    case .handleValueIndication: indicate(pdu, report)
    case .multipleHandleValueNotification: notifyMultiple(pdu, report)
    case .errorResponse: abandonRequest()
    case .findInformationResponse: answerFindInformation(pdu, report)
    case .findByTypeValueResponse: answerFindService(pdu)
    case .readByGroupTypeResponse: answerReadByGroupType(pdu)
    case .readByTypeResponse: answerReadByType(pdu, report)
    case .readResponse: answerRead(pdu.extracting(droppingFirst: 1), report)
    case .readBlobResponse: answerReadBlob(pdu.extracting(droppingFirst: 1), report)
    case .readMultipleVariableResponse: answerReadMultiple(pdu, report)
    case .writeResponse: answerWrite(report)
    default: break
    }
  }

  private mutating func indicate(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard let handle = pdu.uint16LE(at: 1) else { return report(.anomaly(.truncatedPDU)) }
    let characteristic = map.characteristic(at: handle)
    if characteristic == .serviceChanged, let first = pdu.uint16LE(at: 3), let last = pdu.uint16LE(at: 5),
      first <= last
    {
      map.forget(first...last)
    }
    report(
      .notified(
        link, handle: handle, characteristic: characteristic,
        value: AttributeValue(pdu.extracting(droppingFirst: 3))))
  }

  private func notifyMultiple(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    forEachValue(in: pdu, from: 1, report) { handle, value in
      report(
        .notified(link, handle: handle, characteristic: map.characteristic(at: handle), value: value))
    }
  }

  /// Values with handle and length before each.
  private func forEachValue(
    in pdu: RawSpan, from start: Int, _ report: (HostEvent) -> Void,
    _ body: (UInt16, AttributeValue) -> Void
  ) {
    var offset = start
    while offset < pdu.byteCount {
      guard let handle = pdu.uint16LE(at: offset), let length = pdu.uint16LE(at: offset + 2),
        pdu.byteCount >= offset + 4 + Int(length)
      else { return report(.anomaly(.truncatedPDU)) }
      body(handle, AttributeValue(pdu.extracting(offset + 4..<offset + 4 + Int(length))))
      offset += 4 + Int(length)
    }
  }
}
