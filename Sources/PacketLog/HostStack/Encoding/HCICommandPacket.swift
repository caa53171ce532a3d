public import Bluetooth

/// Encodes the commands that initialize a controller, scan, advertise, and connect, without the packet
/// indicator (Core Specification, Vol 4, Part E, §5.4.1).
public enum HCICommandPacket {
  /// HCI_Reset (§7.3.2).
  public static let reset = packet(HCICommandCode.reset) { _ in }

  /// HCI_LE_Set_Scan_Enable without duplicate filtering (§7.8.11).
  public static func leSetScanEnable(_ isEnabled: Bool) -> [UInt8] {
    packet(HCICommandCode.leSetScanEnable) {
      $0.append(isEnabled ? 1 : 0)
      $0.append(UInt8(0))
    }
  }

  /// HCI_LE_Create_Connection (§7.8.12).
  ///
  /// - Parameters:
  ///   - interval: The connection interval in units of 1.25 ms.
  ///   - supervisionTimeout: The supervision timeout in units of 10 ms.
  public static func leCreateConnection(
    to peer: BluetoothAddress, interval: UInt16, supervisionTimeout: UInt16
  ) -> [UInt8] {
    let scanInterval: UInt16 = 0x0060
    let scanWindow: UInt16 = 0x0030
    return packet(HCICommandCode.leCreateConnection) {
      $0.appendLE(scanInterval)
      $0.appendLE(scanWindow)
      $0.append(UInt8(0))  // No filter accept list.
      $0.append(peer.kind.rawValue)
      $0.append(peer)
      $0.append(BluetoothAddress.Kind.publicDevice.rawValue)
      $0.appendLE(interval)
      $0.appendLE(interval)
      $0.appendLE(UInt16(0))  // Latency.
      $0.appendLE(supervisionTimeout)
      $0.appendLE(UInt16(0))  // Connection event lengths: no preference.
      $0.appendLE(UInt16(0))
    }
  }

  /// HCI_LE_Set_Random_Address (§7.8.4).
  public static func leSetRandomAddress(_ address: BluetoothAddress) -> [UInt8] {
    packet(HCICommandCode.leSetRandomAddress) { $0.append(address) }
  }

  /// HCI_LE_Set_Advertising_Parameters: connectable and undirected, every 100 ms on all channels (§7.8.5).
  public static func leSetAdvertisingParameters(ownAddress: BluetoothAddress.Kind) -> [UInt8] {
    let interval: UInt16 = 0x00A0
    let allChannels: UInt8 = 0x07
    return packet(HCICommandCode.leSetAdvertisingParameters) {
      $0.appendLE(interval)
      $0.appendLE(interval)
      $0.append(UInt8(0))
      $0.append(ownAddress.rawValue)
      $0.append([UInt8](repeating: 0, count: 7))  // No peer address.
      $0.append(allChannels)
      $0.append(UInt8(0))  // No filter policy.
    }
  }

  /// HCI_LE_Set_Advertising_Data (§7.8.7).
  ///
  /// - Parameter data: At most 31 bytes of AD structures. Longer data is truncated.
  public static func leSetAdvertisingData(_ data: [UInt8]) -> [UInt8] {
    packet(HCICommandCode.leSetAdvertisingData) { appendData(data, &$0) }
  }

  /// HCI_LE_Set_Scan_Response_Data (§7.8.8).
  ///
  /// - Parameter data: At most 31 bytes of AD structures. Longer data is truncated.
  public static func leSetScanResponseData(_ data: [UInt8]) -> [UInt8] {
    packet(HCICommandCode.leSetScanResponseData) { appendData(data, &$0) }
  }

  /// HCI_LE_Set_Advertising_Enable (§7.8.9).
  public static func leSetAdvertisingEnable(_ isEnabled: Bool) -> [UInt8] {
    packet(HCICommandCode.leSetAdvertisingEnable) { $0.append(UInt8(isEnabled ? 1 : 0)) }
  }

  private static func appendData(_ data: [UInt8], _ writer: inout ByteWriter) {
    let length = 31
    let data = data.prefix(length)
    writer.append(UInt8(data.count))
    writer.append(data)
    writer.append([UInt8](repeating: 0, count: length - data.count))
  }

  private static func packet(_ opcode: UInt16, _ parameters: (inout ByteWriter) -> Void) -> [UInt8] {
    var body = ByteWriter()
    parameters(&body)
    var packet = ByteWriter(capacity: 3 + body.bytes.count)
    packet.appendLE(opcode)
    packet.append(UInt8(truncatingIfNeeded: body.bytes.count))
    packet.append(body.bytes)
    return packet.bytes
  }
}
