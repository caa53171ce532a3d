public import Bluetooth

/// Encodes the PDUs that a client and a small attribute server exchange (Core Specification, Vol 3, Part F,
/// §3.4).
public enum AttributePDU {
  /// The L2CAP channel of the attribute protocol (Vol 3, Part A, §2.1).
  public static let channel: UInt16 = L2CAP.attributeChannel

  /// ATT_ERROR_RSP (§3.4.1.1).
  public static func errorResponse(to request: UInt8, handle: UInt16, _ error: ATTErrorCode) -> [UInt8] {
    pdu(.errorResponse) {
      $0.append(request)
      $0.appendLE(handle)
      $0.append(error.rawValue)
    }
  }

  /// ATT_EXCHANGE_MTU_REQ and _RSP (§3.4.2).
  public static func exchangeMTU(_ opcode: ATTOpcode, _ mtu: UInt16) -> [UInt8] {
    pdu(opcode) { $0.appendLE(mtu) }
  }

  /// ATT_FIND_INFORMATION_REQ (§3.4.3.1).
  public static func findInformationRequest(_ handles: ClosedRange<UInt16>) -> [UInt8] {
    pdu(.findInformationRequest) {
      $0.appendLE(handles.lowerBound)
      $0.appendLE(handles.upperBound)
    }
  }

  /// ATT_READ_BY_TYPE_REQ or ATT_READ_BY_GROUP_TYPE_REQ (§3.4.4.1, §3.4.4.9).
  public static func read(
    _ opcode: ATTOpcode, _ type: BluetoothUUID, in handles: ClosedRange<UInt16>
  ) -> [UInt8] {
    pdu(opcode) {
      $0.appendLE(handles.lowerBound)
      $0.appendLE(handles.upperBound)
      $0.append(type)
    }
  }

  /// ATT_READ_REQ (§3.4.4.3).
  public static func readRequest(_ handle: UInt16) -> [UInt8] { pdu(.readRequest) { $0.appendLE(handle) } }

  /// ATT_READ_BLOB_REQ (§3.4.4.5).
  public static func readBlobRequest(_ handle: UInt16, from offset: UInt16) -> [UInt8] {
    pdu(.readBlobRequest) {
      $0.appendLE(handle)
      $0.appendLE(offset)
    }
  }

  /// ATT_WRITE_REQ (§3.4.5.1).
  public static func writeRequest(_ handle: UInt16, _ value: [UInt8]) -> [UInt8] {
    pdu(.writeRequest) {
      $0.appendLE(handle)
      $0.append(value)
    }
  }

  /// ATT_HANDLE_VALUE_NTF (§3.4.7.1).
  public static func notification(_ handle: UInt16, _ value: AttributeValue) -> [UInt8] {
    pdu(.handleValueNotification) {
      $0.appendLE(handle)
      $0.append(value.bytes)
    }
  }

  /// Returns a PDU with an opcode and its parameters.
  public static func pdu(_ opcode: ATTOpcode, _ parameters: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter(capacity: 24)
    writer.append(opcode.rawValue)
    parameters(&writer)
    return writer.bytes
  }
}

/// The reason why a server rejects a request (Core Specification, Vol 3, Part F, §3.4.1.1).
public enum ATTErrorCode: UInt8, Hashable, Sendable, CaseIterable {
  case invalidHandle = 0x01
  case readNotPermitted = 0x02
  case writeNotPermitted = 0x03
  case invalidPDU = 0x04
  case requestNotSupported = 0x06
  case invalidOffset = 0x07
  case attributeNotFound = 0x0A
  case unsupportedGroupType = 0x10
}
