public import Bluetooth

/// Writes a pcap file of link-layer packets (link type 256).
///
/// The header of each packet states the sender and that the CRC is correct. The CRC itself is unknown, so its
/// 3 bytes are zero.
///
/// A log contains health data in plain text, so the file is created with mode 0600.
///
/// ```swift
/// let writer = try PCAPWriter(path: "air.pcap")
/// try writer.append(
///   [0x42, 0x18, 0x5A, 0x50, 0x01, 0x00], from: .central,
///   time: ReceiptTime(microsecondsSince1970: 1_764_400_000_000_000))
/// try writer.close()
/// ```
public final class PCAPWriter {
  private static let microseconds: UInt32 = 0xA1B2_C3D4
  private static let linkType: UInt32 = 256
  private static let snapLength: UInt32 = 65_535
  private static let pseudoHeaderLength = 10
  private static let crcLength = 3
  private static let recordHeaderLength = 16

  private let output: BufferedOutput

  /// Creates or truncates the file, and writes the file header.
  ///
  /// - Parameter path: The path of the file; `-` is standard output.
  /// - Throws: `.io`.
  public init(path: String) throws(PacketLogError) {
    output = try BufferedOutput(path: path)
    output.put(Self.microseconds.littleEndian)
    output.put(UInt16(2).littleEndian)
    output.put(UInt16(4).littleEndian)
    output.put(UInt64(0))
    output.put(Self.snapLength.littleEndian)
    output.put(Self.linkType.littleEndian)
  }

  /// Appends a link-layer packet: access address and PDU.
  ///
  /// - Parameters:
  ///   - sender: The sender, or `nil` for a packet outside a connection.
  ///   - time: A time from 1970 to 2106.
  /// - Throws: `.absurdLength` if the packet is longer than the file's snap length; `.io`.
  public func append(
    _ packet: [UInt8], from sender: LinkLayerReception.Sender?, time: ReceiptTime
  ) throws(PacketLogError) {
    let length = Self.pseudoHeaderLength + packet.count + Self.crcLength
    guard length <= Self.snapLength else {
      throw PacketLogError(.absurdLength(UInt64(length)), offset: output.bytesWritten)
    }
    try output.makeRoom(for: Self.recordHeaderLength + length)
    let (seconds, fraction) = time.microsecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000)
    output.put(UInt32(clamping: seconds).littleEndian)
    output.put(UInt32(clamping: fraction).littleEndian)
    output.put(UInt32(length).littleEndian)
    output.put(UInt32(length).littleEndian)
    // Channel, signal, noise, access address errors, and access address. No flag marks them as valid.
    output.put(UInt64(0))
    output.put(LinkLayerPseudoHeader.flags(sender).littleEndian)
    output.put(packet.span.bytes)
    output.put([UInt8](repeating: 0, count: Self.crcLength).span.bytes)
  }

  /// Flushes and closes the file. Standard output stays open, and a second call does nothing.
  ///
  /// - Throws: `.io`. The file is closed in any case.
  public func close() throws(PacketLogError) { try output.close() }
}

extension LinkLayerPseudoHeader {
  /// Returns the flags of a dewhitened packet whose CRC was checked and found to be correct.
  static func flags(_ sender: LinkLayerReception.Sender?) -> UInt16 {
    let type =
      switch sender {
      case nil: PDUType.advertising
      case .central: PDUType.dataFromCentral
      case .peripheral: PDUType.dataFromPeripheral
      }
    return Flag.dewhitened | Flag.crcChecked | Flag.crcValid | type << 7
  }
}
