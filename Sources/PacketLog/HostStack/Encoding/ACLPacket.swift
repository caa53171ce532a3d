public import Bluetooth

/// ACL data packets without the packet indicator (Core Specification, Vol 4, Part E, §5.4.2).
///
/// ```swift
/// let pdu = AttributePDU.notification(0x0012, [0x00, 72])
/// let packet = ACLPacket.attribute(pdu, on: 0x0040, .controllerToHost)
/// ```
public enum ACLPacket {
  /// Returns a packet that contains one attribute PDU as the first fragment of its L2CAP frame.
  ///
  /// It is marked as non-flushable from the host, and as flushable from the controller.
  ///
  /// - Parameters:
  ///   - pdu: At most 65,535 bytes minus the two headers. A longer PDU is truncated.
  ///   - handle: The connection handle; its low 12 bits are used.
  public static func attribute(_ pdu: RawSpan, on handle: UInt16, _ direction: HCIDirection) -> [UInt8] {
    let l2capHeaderLength = 4
    let count = min(pdu.byteCount, Int(UInt16.max) - l2capHeaderLength)
    // Packet boundary flags: 00 from the host (non-flushable start), 10 from the controller (flushable
    // start).
    let boundary: UInt16 = direction == .hostToController ? 0b00 : 0b10
    var packet = ByteWriter(capacity: 8 + count)
    packet.appendLE(handle & 0x0FFF | boundary << 12)
    packet.appendLE(UInt16(count + l2capHeaderLength))
    packet.appendLE(UInt16(count))
    packet.appendLE(L2CAP.attributeChannel)
    for offset in 0..<count { packet.append(pdu.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) }
    return packet.bytes
  }

  /// Returns a packet that contains one attribute PDU.
  public static func attribute(_ pdu: [UInt8], on handle: UInt16, _ direction: HCIDirection) -> [UInt8] {
    attribute(pdu.span.bytes, on: handle, direction)
  }
}
