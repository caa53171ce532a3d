import Bluetooth

/// The request that a client waits to be answered; a client has one at a time (Core Specification, Vol 3,
/// Part F, §3.3.2).
enum AttributeRequest: Sendable {
  case findInformation
  /// For a service of this UUID; other Find By Type Value requests teach nothing.
  case findService(BluetoothUUID)
  case readByType(BluetoothUUID, from: UInt16)
  case readByGroupType(BluetoothUUID)
  case read(handle: UInt16)
  case readBlob(handle: UInt16, offset: UInt16)
  case readMultipleVariable(handles: [UInt16])
  case write(handle: UInt16, configuration: UInt16?)

  /// - Returns: `nil` for a request that teaches nothing.
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
