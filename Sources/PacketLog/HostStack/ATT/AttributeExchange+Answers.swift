import Bluetooth

// Learns the attributes of a server from its responses (Core Specification, Vol 3, Part F, §3.4.3–3.4.5).
extension AttributeExchange {
  /// Maximum length of an attribute value in bytes (Vol 3, Part F, §3.2.9).
  private static let greatestValue = 512

  mutating func answerFindInformation(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .findInformation? = request, let format = pdu.uint8(at: 1) else { return }
    request = nil
    let size = format == 1 ? 4 : 18
    for offset in stride(from: 2, through: pdu.byteCount - size, by: size) {
      guard let handle = pdu.uint16LE(at: offset),
        let type = BluetoothUUID(littleEndian: pdu.extracting(offset + 2..<offset + size))
      else { return }
      learn(type, at: handle, report)
    }
  }

  /// Records the type of an attribute, unless it is a declaration.
  private mutating func learn(_ type: BluetoothUUID, at handle: UInt16, _ report: (HostEvent) -> Void) {
    if type == .clientCharacteristicConfiguration {
      map.markConfiguration(handle)
    } else if let short = type.assignedNumber, (0x2800..<0x2A00).contains(short) {
      return
    } else {
      map.declare(type, at: handle)
      report(.declared(link, handle: handle, characteristic: type))
    }
  }

  mutating func answerReadByType(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .readByType(let type, let first)? = request, let length = pdu.uint8(at: 1), length >= 2
    else { return }
    request = nil
    guard pdu.byteCount >= 2 + Int(length) else { return }
    if type == .characteristicDeclaration { map.forgetValues(in: listed(by: pdu, Int(length), from: first)) }
    for offset in stride(from: 2, through: pdu.byteCount - Int(length), by: Int(length)) {
      guard let handle = pdu.uint16LE(at: offset) else { return }
      let value = pdu.extracting(offset + 2..<offset + Int(length))
      if type == .characteristicDeclaration {
        declare(value, report)
      } else if type.assignedNumber.map({ $0 >= 0x2A00 }) ?? true {
        report(.attributeRead(link, handle: handle, characteristic: type, value: AttributeValue(value)))
      }
    }
  }

  /// Returns the range of value handles that a response with characteristic declarations covers completely.
  ///
  /// The range starts after the first handle of the request and ends at the last value in the response. The
  /// first handle itself may be the value of the last characteristic in the previous response.
  private func listed(by pdu: RawSpan, _ length: Int, from first: UInt16) -> ClosedRange<UInt16> {
    let last = 2 + (pdu.byteCount - 2) / length * length - length
    let start = first == .max ? first : first + 1
    return start...max(start, pdu.uint16LE(at: max(2, last) + 3) ?? start)
  }

  mutating func answerFindService(_ pdu: RawSpan) {
    guard case .findService(let uuid)? = request else { return }
    request = nil
    for offset in stride(from: 1, through: pdu.byteCount - 4, by: 4) {
      guard let first = pdu.uint16LE(at: offset), let last = pdu.uint16LE(at: offset + 2), first <= last
      else { continue }
      map.declare(service: uuid, at: first...last)
    }
  }

  mutating func answerReadByGroupType(_ pdu: RawSpan) {
    guard case .readByGroupType(let type)? = request, type == .primaryService, let length = pdu.uint8(at: 1),
      length >= 6
    else {
      return
    }
    request = nil
    for offset in stride(from: 2, through: pdu.byteCount - Int(length), by: Int(length)) {
      guard let first = pdu.uint16LE(at: offset), let last = pdu.uint16LE(at: offset + 2), first <= last,
        let uuid = BluetoothUUID(littleEndian: pdu.extracting(offset + 4..<offset + Int(length)))
      else { continue }
      map.declare(service: uuid, at: first...last)
    }
  }

  /// Records a characteristic from its declaration: properties, value handle, UUID (Vol 3, Part G, §3.3.1).
  private mutating func declare(_ declaration: RawSpan, _ report: (HostEvent) -> Void) {
    guard declaration.byteCount > 3, let handle = declaration.uint16LE(at: 1),
      let characteristic = BluetoothUUID(littleEndian: declaration.extracting(droppingFirst: 3))
    else { return }
    map.declare(characteristic, at: handle)
    report(.declared(link, handle: handle, characteristic: characteristic))
  }

  mutating func answerRead(_ value: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .read(let handle)? = request else { return }
    request = nil
    pieces = (handle, value.copiedBytes())
    reportRead(handle, AttributeValue(value), report)
  }

  /// Appends the next part of a long value that the client reads in parts, and reports the value so far.
  mutating func answerReadBlob(_ piece: RawSpan, _ report: (HostEvent) -> Void) {
    guard case .readBlob(let handle, let offset)? = request else { return }
    request = nil
    var bytes = offset == 0 ? [] : pieces?.handle == handle ? pieces?.bytes ?? [] : []
    guard bytes.count == Int(offset), bytes.count + piece.byteCount <= Self.greatestValue else { return }
    bytes += piece.copiedBytes()
    pieces = (handle, bytes)
    if piece.byteCount > 0 || offset == 0 { reportRead(handle, AttributeValue(bytes), report) }
  }

  mutating func answerReadMultiple(_ pdu: RawSpan, _ report: (HostEvent) -> Void) {
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

  mutating func answerWrite(_ report: (HostEvent) -> Void) {
    write(request, report)
    request = nil
  }

  /// Handles a successful write. Writing 1, 2, or 3 to a Client Characteristic Configuration is a
  /// subscription.
  ///
  /// If the log does not declare the handle, a 2-byte write of such a value counts as a subscription without
  /// a characteristic.
  func write(_ request: AttributeRequest?, _ report: (HostEvent) -> Void) {
    guard case .write(let handle, let configuration?)? = request, (1...3).contains(configuration) else {
      return
    }
    if let value = map.value(configuredAt: handle) {
      report(.subscribed(link, valueHandle: value.handle, characteristic: value.characteristic))
    } else if map.characteristic(at: handle) == nil, handle > 1 {
      report(.subscribed(link, valueHandle: handle - 1, characteristic: nil))
    }
  }
}
