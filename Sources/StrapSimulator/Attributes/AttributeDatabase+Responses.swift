import Bluetooth
import PacketLog

extension AttributeDatabase {
  /// Returns the server's response to a request (Core Specification, Vol 3, Part F, §3.4).
  func response(to request: [UInt8]) -> [UInt8] {
    let bytes = request.span.bytes
    guard let opcode = bytes.uint8(at: 0).flatMap(ATTOpcode.init(rawValue:)) else {
      return refusal(of: bytes, .requestNotSupported)
    }
    switch opcode {
    case .exchangeMTURequest: return AttributePDU.exchangeMTU(.exchangeMTUResponse, mtu)
    case .findInformationRequest: return findInformation(bytes)
    case .readByTypeRequest, .readByGroupTypeRequest: return readByType(bytes, opcode)
    case .readRequest, .readBlobRequest: return read(bytes, opcode)
    case .writeRequest: return write(bytes)
    default: return refusal(of: bytes, .requestNotSupported)
    }
  }

  private func findInformation(_ request: RawSpan) -> [UInt8] {
    let found = attributes(in: request)
    guard let first = found.first else { return refusal(of: request, .attributeNotFound) }
    let isShort = first.type.assignedNumber != nil
    let length = isShort ? 4 : 18
    return AttributePDU.pdu(.findInformationResponse) { writer in
      writer.append(UInt8(isShort ? 1 : 2))
      for attribute in found.prefix(while: { ($0.type.assignedNumber != nil) == isShort })
        .prefix((Int(mtu) - 2) / length)
      {
        writer.appendLE(attribute.handle)
        writer.append(attribute.type)
      }
    }
  }

  /// Handles Read By Type and Read By Group Type. In the latter, each entry also contains the last handle of
  /// the service.
  private func readByType(_ request: RawSpan, _ opcode: ATTOpcode) -> [UInt8] {
    let isGroup = opcode == .readByGroupTypeRequest
    guard let type = BluetoothUUID(littleEndian: request.extracting(droppingFirst: min(5, request.byteCount)))
    else { return refusal(of: request, .invalidPDU) }
    guard !isGroup || type == .primaryService else { return refusal(of: request, .unsupportedGroupType) }
    let found = attributes(in: request).filter { $0.type == type }
    guard let first = found.first else { return refusal(of: request, .attributeNotFound) }
    guard first.isReadable else { return refusal(of: request, .readNotPermitted, first.handle) }
    let handlesLength = isGroup ? 4 : 2
    let valueLength = min(first.value.count, Int(mtu) - 2 - handlesLength, 255 - handlesLength)
    let length = handlesLength + valueLength
    return AttributePDU.pdu(isGroup ? .readByGroupTypeResponse : .readByTypeResponse) { writer in
      writer.append(UInt8(length))
      for attribute in found.prefix(while: { $0.value.count == first.value.count })
        .prefix((Int(mtu) - 2) / length)
      {
        writer.appendLE(attribute.handle)
        if isGroup { writer.appendLE(groupEnd(of: attribute.handle)) }
        writer.append(attribute.value.prefix(valueLength))
      }
    }
  }

  private func read(_ request: RawSpan, _ opcode: ATTOpcode) -> [UInt8] {
    let isBlob = opcode == .readBlobRequest
    guard let attribute = attribute(of: request) else { return refusal(of: request, .invalidHandle) }
    guard attribute.isReadable else { return refusal(of: request, .readNotPermitted) }
    let offset = isBlob ? Int(request.uint16LE(at: 3) ?? 0) : 0
    guard offset <= attribute.value.count else { return refusal(of: request, .invalidOffset) }
    return AttributePDU.pdu(isBlob ? .readBlobResponse : .readResponse) {
      $0.append(attribute.value.dropFirst(offset).prefix(Int(mtu) - 1))
    }
  }

  /// Handles a write. Only a Client Characteristic Configuration can be written. Its value is not stored.
  private func write(_ request: RawSpan) -> [UInt8] {
    guard let attribute = attribute(of: request) else { return refusal(of: request, .invalidHandle) }
    guard attribute.type == .clientCharacteristicConfiguration else {
      return refusal(of: request, .writeNotPermitted)
    }
    return AttributePDU.pdu(.writeResponse) { _ in }
  }

  private func attributes(in request: RawSpan) -> ArraySlice<Attribute> {
    guard let first = request.uint16LE(at: 1), let last = request.uint16LE(at: 3), first > 0, first <= last,
      Int(first) <= attributes.count
    else { return [] }
    return attributes[(Int(first) - 1)..<min(Int(last), attributes.count)]
  }

  private func attribute(of request: RawSpan) -> Attribute? {
    guard let handle = request.uint16LE(at: 1), handle > 0, Int(handle) <= attributes.count else {
      return nil
    }
    return attributes[Int(handle) - 1]
  }

  private func groupEnd(of handle: UInt16) -> UInt16 {
    services.first { $0.lowerBound == handle }?.upperBound ?? handle
  }

  private func refusal(of request: RawSpan, _ error: ATTErrorCode, _ handle: UInt16? = nil) -> [UInt8] {
    AttributePDU.errorResponse(
      to: request.uint8(at: 0) ?? 0, handle: handle ?? request.uint16LE(at: 1) ?? 0, error)
  }
}
