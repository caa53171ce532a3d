public import Bluetooth

/// Writes a pcap file of what a sniffer heard: link type 256, LE link-layer packets behind a pseudo-header
/// that says who sent each and that its CRC is right. Without the CRC itself it would have to be made up, so
/// it is three octets of zero.
///
/// A log holds health data in clear, so a file that this creates is for its owner alone (mode 0600).
public final class PCAPWriter {
  private static let microseconds: UInt32 = 0xA1B2_C3D4
  private static let linkType: UInt32 = 256
  private static let snapLength: UInt32 = 65_535
  private static let pseudoHeaderLength = 10
  private static let crcLength = 3
  private static let recordHeaderLength = 16

  private let output: BufferedOutput

  /// Creates the file, or empties the one that is there, and writes the file header.
  ///
  /// - Parameter path: `-` is standard output.
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

  /// Appends a packet from the air: access address and PDU.
  ///
  /// - Parameters:
  ///   - sender: `nil` for a packet of no connection.
  ///   - time: From 1970 to 2106.
  /// - Throws: `.absurdLength` for more octets than the file's snap length, `.io`.
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
    // Channel, signal and noise, what was heard wrong of the access address, and the address: of no meaning
    // where no flag says so.
    output.put(UInt64(0))
    output.put(LinkLayerPseudoHeader.flags(sender).littleEndian)
    output.put(packet.span.bytes)
    output.put([UInt8](repeating: 0, count: Self.crcLength).span.bytes)
  }

  /// Writes the rest and closes the file; standard output stays open. A second call does nothing.
  ///
  /// - Throws: `.io`; the file is closed all the same.
  public func close() throws(PacketLogError) { try output.close() }
}

extension LinkLayerPseudoHeader {
  /// Of a packet that is not whitened and whose CRC was checked and right.
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
