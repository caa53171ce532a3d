import Bluetooth
import PacketLog

/// The log files of a host, in the format of `btmon -w` (btsnoop, datalink 2001).
struct MonitorLog {
  /// The address of the host that connects to the straps.
  static let hostAddress = BluetoothAddress(bits: 0x02A5_5FFF_0001, kind: .publicDevice)

  private static let controller: UInt16 = 0
  /// The company identifier that the Bluetooth SIG reserves for internal use (Assigned Numbers, §7.1).
  private static let internalUse: UInt16 = 0xFFFF

  private let address: BluetoothAddress
  private var writer: BTSnoopWriter
  var summary = StrapLog.Summary()

  /// Creates the first file.
  /// - Parameter address: The controller's public address; zero if it has none.
  init(path: String, address: BluetoothAddress, at time: ReceiptTime) throws(PacketLogError) {
    self.address = address
    writer = try BTSnoopWriter(path: path)
    try introduce(at: time)
  }

  mutating func rotate(to path: String, at time: ReceiptTime) throws(PacketLogError) {
    try writer.close()
    writer = try BTSnoopWriter(path: path)
    try introduce(at: time)
  }

  mutating func close() throws(PacketLogError) { try writer.close() }

  /// Writes the records that describe the controller, which the kernel sends to every new listener.
  private mutating func introduce(at time: ReceiptTime) throws(PacketLogError) {
    try writer.appendNewIndex(Self.controller, address: address, name: "hci0", time: time)
    try writer.appendOpenIndex(Self.controller, time: time)
    try writer.appendIndexInformation(
      Self.controller, address: address, manufacturer: Self.internalUse, time: time)
    summary.records += 3
  }

  mutating func send(_ command: [UInt8], _ time: ReceiptTime) throws(PacketLogError) {
    summary.records += 1
    try writer.append(
      .command, direction: .hostToController, controller: Self.controller, time: time, command)
  }

  mutating func receive(_ event: [UInt8], _ time: ReceiptTime) throws(PacketLogError) {
    summary.records += 1
    try writer.append(.event, direction: .controllerToHost, controller: Self.controller, time: time, event)
  }

  mutating func exchange(
    _ pdu: [UInt8], _ connection: UInt16, _ direction: HCIDirection, _ time: ReceiptTime
  ) throws(PacketLogError) {
    summary.records += 1
    try writer.append(
      .aclData, direction: direction, controller: Self.controller, time: time,
      ACLPacket.attribute(pdu, on: connection, direction))
  }
}
