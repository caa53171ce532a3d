public import Bluetooth

/// Encodes the events of a controller, without the packet indicator (Core Specification, Vol 4, Part E,
/// §5.4.4).
///
/// ```swift
/// let command = HCICommandPacket.leSetScanEnable(true)
/// let response = HCIEventPacket.commandComplete(of: command)
/// ```
public enum HCIEventPacket {
  /// HCI_Command_Complete with the status "success" as its only return parameter (§7.7.14).
  public static func commandComplete(of command: [UInt8]) -> [UInt8] {
    packet(HCIEventCode.commandComplete) {
      $0.append(UInt8(1))
      $0.append(command.prefix(2))
      $0.append(UInt8(0))
    }
  }

  /// HCI_Command_Status with the status "pending" (§7.7.15).
  public static func commandStatus(of command: [UInt8]) -> [UInt8] {
    packet(HCIEventCode.commandStatus) {
      $0.append(UInt8(0))
      $0.append(UInt8(1))
      $0.append(command.prefix(2))
    }
  }

  /// HCI_LE_Connection_Complete (§7.7.65.1).
  ///
  /// - Parameters:
  ///   - isPeripheral: Whether the host is the peripheral; otherwise it is the central.
  ///   - interval: The connection interval in units of 1.25 ms.
  ///   - supervisionTimeout: The supervision timeout in units of 10 ms.
  public static func leConnectionComplete(
    handle: UInt16, peer: BluetoothAddress, isPeripheral: Bool = false, interval: UInt16,
    supervisionTimeout: UInt16
  ) -> [UInt8] {
    packet(HCIEventCode.leMeta) {
      $0.append(LESubevent.connectionComplete)
      $0.append(UInt8(0))  // Success.
      $0.appendLE(handle)
      $0.append(UInt8(isPeripheral ? 1 : 0))
      $0.append(peer.kind.rawValue)
      $0.append(peer)
      $0.appendLE(interval)
      $0.appendLE(UInt16(0))  // Latency.
      $0.appendLE(supervisionTimeout)
      $0.append(UInt8(0))  // Central clock accuracy.
    }
  }

  /// HCI_LE_Enhanced_Connection_Complete from a controller that resolved the peer's address (§7.7.65.10).
  ///
  /// - Parameters:
  ///   - isPeripheral: Whether the host is the peripheral; otherwise it is the central.
  ///   - identity: The identity address of the peer.
  ///   - address: The resolvable private address of the peer, if known.
  ///   - parameters: The encoded interval, latency, supervision timeout, and clock accuracy.
  package static func leEnhancedConnectionComplete(
    handle: UInt16, isPeripheral: Bool = false, identity: BluetoothAddress, of address: BluetoothAddress?,
    parameters: [UInt8]
  ) -> [UInt8] {
    packet(HCIEventCode.leMeta) {
      $0.append(LESubevent.enhancedConnectionComplete)
      $0.append(UInt8(0))  // Success.
      $0.appendLE(handle)
      $0.append(UInt8(isPeripheral ? 1 : 0))
      // Identity address types are the address kind plus 2.
      $0.append(identity.kind.rawValue + 2)
      $0.append(identity)
      $0.append(repeatElement(0, count: 6))  // The host's own private address.
      $0.append(address ?? BluetoothAddress(bits: 0, kind: .random))
      $0.append(parameters)
    }
  }

  /// HCI_Disconnection_Complete (§7.7.5).
  ///
  /// - Parameter reason: An error code (Vol 1, Part F). 0x08 is a supervision timeout; 0x13 means that the
  ///   peer ended the connection.
  public static func disconnectionComplete(handle: UInt16, reason: UInt8) -> [UInt8] {
    packet(HCIEventCode.disconnectionComplete) {
      $0.append(UInt8(0))
      $0.appendLE(handle)
      $0.append(reason)
    }
  }

  /// HCI_Number_Of_Completed_Packets for one packet of one connection (§7.7.19).
  public static func completedPacket(handle: UInt16) -> [UInt8] {
    packet(HCIEventCode.numberOfCompletedPackets) {
      $0.append(UInt8(1))
      $0.appendLE(handle)
      $0.appendLE(UInt16(1))
    }
  }

  /// HCI_LE_Advertising_Report with one report (§7.7.65.2).
  ///
  /// - Parameters:
  ///   - isScanResponse: Whether this is a scan response. Otherwise it is a connectable and scannable
  ///     undirected advertisement.
  ///   - data: At most 31 bytes of AD structures.
  ///   - rssi: The signal strength in dBm.
  public static func leAdvertisingReport(
    from address: BluetoothAddress, isScanResponse: Bool, data: [UInt8], rssi: Int8
  ) -> [UInt8] {
    let data = data.prefix(31)
    return packet(HCIEventCode.leMeta) {
      $0.append(LESubevent.advertisingReport)
      $0.append(UInt8(1))
      $0.append(UInt8(isScanResponse ? 0x04 : 0x00))
      $0.append(address.kind.rawValue)
      $0.append(address)
      $0.append(UInt8(data.count))
      $0.append(data)
      $0.append(UInt8(bitPattern: rssi))
    }
  }

  private static func packet(_ code: UInt8, _ parameters: (inout ByteWriter) -> Void) -> [UInt8] {
    var body = ByteWriter()
    parameters(&body)
    return [code, UInt8(truncatingIfNeeded: body.bytes.count)] + body.bytes
  }
}
