import Bluetooth

/// The conversation on one link: what the host asked, and what the peer's answers say about its attributes.
struct AttributeExchange: Sendable {
  /// A value is at most this long (Core Specification, Vol 3, Part F, §3.2.9).
  private static let greatestValue = 512

  let link: Link
  private(set) var map: AttributeMap
  private var request: AttributeRequest?
  /// A value that is being read piece by piece.
  private var pieces: (handle: UInt16, bytes: [UInt8])?

  init(link: Link, map: AttributeMap) {
    self.link = link
    self.map = map
  }

  mutating func abandonRequest() {
    request = nil
    pieces = nil
  }

  // MARK: - From the host

  mutating func observeHost(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard let opcode = pdu.uint8(at: 0) else { return }
    if ATTOpcode.isServers(opcode) {
      let pushes: [ATTOpcode] = [
        .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification,
      ]
      if pushes.contains(where: { $0.rawValue == opcode }) { report(.anomaly(.localServerNotification)) }
      return
    }
    guard opcode != ATTOpcode.handleValueConfirmation.rawValue else { return }
    request = AttributeRequest(pdu)
    // A command has no answer: what it writes is written.
    if opcode == ATTOpcode.writeCommand.rawValue { answerWrite(report) }
  }

  // MARK: - From the peer

  @inline(__always)
  mutating func observePeer(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    if pdu.uint8(at: 0) == ATTOpcode.handleValueNotification.rawValue {
      guard let handle = pdu.uint16LE(at: 1) else { return report(.anomaly(.truncatedPDU)) }
      let characteristic = map.characteristic(at: handle)
      return report(
        .notified(
          link, handle: handle, characteristic: characteristic,
          value: AttributeValue(pdu.extracting(droppingFirst: 3))))
    }
    observeRare(pdu, report)
  }

  private mutating func observeRare(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard let opcode = pdu.uint8(at: 0).flatMap(ATTOpcode.init(rawValue:)) else { return }
    switch opcode {
    case .handleValueIndication: indicate(pdu, report)
    case .multipleHandleValueNotification: notifyMultiple(pdu, report)
    case .errorResponse: abandonRequest()
    case .findInformationResponse: answerFindInformation(pdu)
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

  // MARK: - Answers

  private mutating func answerFindInformation(_ pdu: RawSpan) {
    guard case .findInformation? = request, let format = pdu.uint8(at: 1) else { return }
    request = nil
    let size = format == 1 ? 4 : 18
    for offset in stride(from: 2, through: pdu.byteCount - size, by: size) {
      guard let handle = pdu.uint16LE(at: offset),
        let type = BluetoothUUID(littleEndian: pdu.extracting(offset + 2..<offset + size))
      else { return }
      learn(type, at: handle)
    }
  }

  /// An attribute's type: a descriptor, a declaration, or the characteristic whose value it is.
  private mutating func learn(_ type: BluetoothUUID, at handle: UInt16) {
    if type == .clientCharacteristicConfiguration {
      map.markConfiguration(handle)
    } else if let short = type.assignedNumber, (0x2800..<0x2A00).contains(short) {
      return
    } else {
      map.declare(type, at: handle)
    }
  }

  private mutating func answerReadByType(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .readByType(let type)? = request, let length = pdu.uint8(at: 1), length >= 2 else { return }
    request = nil
    for offset in stride(from: 2, through: pdu.byteCount - Int(length), by: Int(length)) {
      guard let handle = pdu.uint16LE(at: offset) else { return }
      let value = pdu.extracting(offset + 2..<offset + Int(length))
      if type == .characteristicDeclaration {
        declare(value)
      } else if type.assignedNumber.map({ $0 >= 0x2A00 }) ?? true {
        report(.attributeRead(link, handle: handle, characteristic: type, value: AttributeValue(value)))
      }
    }
  }

  /// A characteristic declaration: properties, value handle, UUID (Vol 3, Part G, §3.3.1).
  private mutating func declare(_ declaration: RawSpan) {
    guard declaration.byteCount > 3, let handle = declaration.uint16LE(at: 1),
      let characteristic = BluetoothUUID(littleEndian: declaration.extracting(droppingFirst: 3))
    else { return }
    map.declare(characteristic, at: handle)
  }

  private mutating func answerRead(_ value: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .read(let handle)? = request else { return }
    request = nil
    pieces = (handle, value.copiedBytes())
    reportRead(handle, AttributeValue(value), report)
  }

  /// A long value goes on where the piece before ended; each longer reading replaces the shorter.
  private mutating func answerReadBlob(_ piece: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .readBlob(let handle, let offset)? = request else { return }
    request = nil
    var bytes = offset == 0 ? [] : pieces?.handle == handle ? pieces?.bytes ?? [] : []
    guard bytes.count == Int(offset), bytes.count + piece.byteCount <= Self.greatestValue else { return }
    bytes += piece.copiedBytes()
    pieces = (handle, bytes)
    if piece.byteCount > 0 || offset == 0 { reportRead(handle, AttributeValue(bytes), report) }
  }

  private mutating func answerReadMultiple(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .readMultipleVariable(let handles)? = request else { return }
    request = nil
    var offset = 1
    for handle in handles {
      guard let length = pdu.uint16LE(at: offset), pdu.byteCount >= offset + 2 + Int(length) else { return }
      reportRead(handle, AttributeValue(pdu.extracting(offset + 2..<offset + 2 + Int(length))), report)
      offset += 2 + Int(length)
    }
  }

  private func reportRead(_ handle: UInt16, _ value: AttributeValue, _ report: (HostEvent) -> Void) {
    report(
      .attributeRead(link, handle: handle, characteristic: map.characteristic(at: handle), value: value))
  }

  /// A write was taken. One of 1, 2 or 3 to a configuration turns values on; where the log does not say what the handle is, a
  /// write of exactly two octets of that value is taken for one, and nothing but the handle is said of it.
  private mutating func answerWrite(_ report: (HostEvent) -> Void) {
    guard case .write(let handle, let configuration?)? = request, (1...3).contains(configuration) else {
      return
    }
    request = nil
    if let value = map.value(configuredAt: handle) {
      report(.subscribed(link, valueHandle: value.handle, characteristic: value.characteristic))
    } else if map.characteristic(at: handle) == nil, handle > 1 {
      report(.subscribed(link, valueHandle: handle - 1, characteristic: nil))
    }
  }
}
