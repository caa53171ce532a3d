import Bluetooth

/// The pending request of a client. A client may have only one (Core Specification, Vol 3, Part F, §3.3.2).
enum AttributeRequest: Sendable {
  case findInformation
  /// Find By Type Value for services with this UUID. Other requests of this type do not reveal attributes.
  case findService(BluetoothUUID)
  case readByType(BluetoothUUID, from: UInt16)
  case readByGroupType(BluetoothUUID)
  case read(handle: UInt16)
  case readBlob(handle: UInt16, offset: UInt16)
  case readMultipleVariable(handles: [UInt16])
  case write(handle: UInt16, configuration: UInt16?)

  /// - Returns: The request; `nil` if its response does not reveal attributes.
  init?(_ pdu: RawSpan) {
    guard let opcode = pdu.uint8(at: 0).flatMap(ATTOpcode.init(rawValue:)) else { return nil }
    switch opcode {
    case .findInformationRequest:
      self = .findInformation
    case .findByTypeValueRequest:
      guard pdu.uint16LE(at: 5) == BluetoothUUID.primaryService.assignedNumber, pdu.byteCount > 7,
        let service = BluetoothUUID(littleEndian: pdu.extracting(droppingFirst: 7))
      else { return nil }
      self = .findService(service)
    case .readByTypeRequest, .readByGroupTypeRequest:
      guard pdu.byteCount > 5, let first = pdu.uint16LE(at: 1),
        let type = BluetoothUUID(littleEndian: pdu.extracting(droppingFirst: 5))
      else { return nil }
      self = opcode == .readByTypeRequest ? .readByType(type, from: first) : .readByGroupType(type)
    case .readRequest:
      guard let handle = pdu.uint16LE(at: 1) else { return nil }
      self = .read(handle: handle)
    case .readBlobRequest:
      guard let handle = pdu.uint16LE(at: 1), let offset = pdu.uint16LE(at: 3) else { return nil }
      self = .readBlob(handle: handle, offset: offset)
    case .readMultipleVariableRequest:
      self = .readMultipleVariable(
        handles: stride(from: 1, to: pdu.byteCount - 1, by: 2).compactMap { pdu.uint16LE(at: $0) })
    case .writeRequest, .writeCommand:
      guard let handle = pdu.uint16LE(at: 1) else { return nil }
      self = .write(handle: handle, configuration: pdu.byteCount == 5 ? pdu.uint16LE(at: 3) : nil)
    default:
      return nil
    }
  }
}
