import Bluetooth

/// The attribute protocol between one client and one server. The server's attributes are inferred from the
/// requests and responses.
struct AttributeExchange: Sendable {
  let link: Link
  var map: AttributeMap { didSet { latest = nil } }
  /// The handle of the last notification. The next notification usually has the same handle.
  private var latest: (handle: UInt16, characteristic: BluetoothUUID?)?
  var request: AttributeRequest?
  /// The value that the client is reading in parts.
  var pieces: (handle: UInt16, bytes: [UInt8])?

  init(link: Link, map: AttributeMap) {
    self.link = link
    self.map = map
  }

  mutating func abandonRequest() {
    request = nil
    pieces = nil
  }

  // MARK: - PDUs from the client

  mutating func observeClient(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard let number = pdu.uint8(at: 0) else { return }
    switch ATTOpcode(rawValue: number) {
    case nil: report(.unread(link, .unknownOpcode))
    case .handleValueConfirmation: break
    // A command has no response, and may be sent while a request is pending. Its value is written
    // immediately.
    case .writeCommand: write(AttributeRequest(pdu), report)
    default: request = AttributeRequest(pdu)
    }
  }

  // MARK: - PDUs from the server

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
    guard let opcode = pdu.uint8(at: 0).flatMap(ATTOpcode.init(rawValue:)) else {
      return report(.unread(link, .unknownOpcode))
    }
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

  // MARK: - Truncated PDUs

  /// Handles a PDU that is truncated in the log.
  ///
  /// The beginning of a notified value is reported. The complete entries of an attribute list are used. Any
  /// other PDU is ignored, and the pending request is forgotten, because the PDU may be its response or
  /// another request.
  ///
  /// - Parameter length: The length of the whole PDU in bytes.
  mutating func observeBeginning(_ pdu: RawSpan, length: Int, _ report: (HostEvent) -> Void) {
    switch pdu.uint8(at: 0).flatMap(ATTOpcode.init(rawValue:)) {
    case nil: report(.unread(link, .unknownOpcode))
    case .handleValueNotification, .handleValueIndication:
      notifyInPart(pdu, at: 1, valueAt: 3, length: length - 3, report)
    case .multipleHandleValueNotification: notifyMultipleInPart(pdu, report)
    case .findInformationResponse, .findByTypeValueResponse, .readByTypeResponse, .readByGroupTypeResponse:
      observeRare(pdu, report)
      abandonRequest()
    default: abandonRequest()
    }
  }

  private mutating func notifyInPart(
    _ pdu: RawSpan, at offset: Int, valueAt valueOffset: Int, length: Int, _ report: (HostEvent) -> Void
  ) {
    guard let handle = pdu.uint16LE(at: offset), length >= 0 else { return report(.incomplete(link)) }
    let characteristic = map.characteristic(at: handle)
    // The range of changed handles may be cut off, so forget all handles.
    if characteristic == .serviceChanged { map.forget(1...UInt16.max) }
    report(
      .notifiedInPart(
        link, handle: handle, characteristic: characteristic,
        value: AttributeValue(pdu.extracting(droppingFirst: valueOffset)), length: length))
  }

  private mutating func notifyMultipleInPart(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    var offset = 1
    while let handle = pdu.uint16LE(at: offset), let length = pdu.uint16LE(at: offset + 2).map(Int.init) {
      let end = offset + 4 + length
      guard end <= pdu.byteCount else {
        return notifyInPart(pdu, at: offset, valueAt: offset + 4, length: length, report)
      }
      let value = AttributeValue(pdu.extracting(offset + 4..<end))
      report(
        .notified(link, handle: handle, characteristic: map.characteristic(at: handle), value: value))
      offset = end
    }
    report(.incomplete(link))
  }

  // MARK: - Multiple values

  private func notifyMultiple(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    forEachValue(in: pdu, from: 1, report) { handle, value in
      report(
        .notified(link, handle: handle, characteristic: map.characteristic(at: handle), value: value))
    }
  }

  /// Calls `body` for each value in a list. Each value is preceded by its handle and length.
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
