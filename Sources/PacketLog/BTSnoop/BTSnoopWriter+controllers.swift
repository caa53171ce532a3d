public import Bluetooth

// The records about controllers in a monitor log. Their layouts are in BlueZ's doc/btsnoop-protocol.rst.
extension BTSnoopWriter {
  /// Appends a record of a new controller (NEW_INDEX).
  ///
  /// - Parameter name: The kernel's name for the controller, such as `hci0`, truncated to 8 bytes.
  /// - Throws: `.io`.
  public func appendNewIndex(
    _ controller: UInt16, address: BluetoothAddress, name: String, time: ReceiptTime
  ) throws(PacketLogError) {
    let primaryController: UInt8 = 0
    let virtualBus: UInt8 = 0
    let nameLength = 8
    var record = ByteWriter(capacity: 16)
    record.append(primaryController)
    record.append(virtualBus)
    record.append(address)
    let name = name.utf8.prefix(nameLength)
    record.append(name)
    record.append(repeatElement(0, count: nameLength - name.count))
    try append(opcode: MonitorOpcode.newIndex, controller: controller, time: time, record.bytes.span.bytes)
  }

  /// Appends a record of a controller that was powered on (OPEN_INDEX).
  /// - Throws: `.io`.
  public func appendOpenIndex(_ controller: UInt16, time: ReceiptTime) throws(PacketLogError) {
    try appendEmpty(MonitorOpcode.openIndex, controller, time)
  }

  /// Appends a record of a controller that was powered off (CLOSE_INDEX).
  /// - Throws: `.io`.
  public func appendCloseIndex(_ controller: UInt16, time: ReceiptTime) throws(PacketLogError) {
    try appendEmpty(MonitorOpcode.closeIndex, controller, time)
  }

  /// Appends a record of a controller that was removed (DEL_INDEX).
  /// - Throws: `.io`.
  public func appendDeleteIndex(_ controller: UInt16, time: ReceiptTime) throws(PacketLogError) {
    try appendEmpty(MonitorOpcode.deleteIndex, controller, time)
  }

  /// Appends the address of a controller and the Bluetooth company identifier of its manufacturer
  /// (INDEX_INFO).
  /// - Throws: `.io`.
  public func appendIndexInformation(
    _ controller: UInt16, address: BluetoothAddress, manufacturer: UInt16, time: ReceiptTime
  ) throws(PacketLogError) {
    var record = ByteWriter(capacity: 8)
    record.append(address)
    record.appendLE(manufacturer)
    try append(
      opcode: MonitorOpcode.indexInformation, controller: controller, time: time, record.bytes.span.bytes)
  }

  private func appendEmpty(
    _ opcode: UInt16, _ controller: UInt16, _ time: ReceiptTime
  ) throws(PacketLogError) {
    let nothing: [UInt8] = []
    try append(opcode: opcode, controller: controller, time: time, nothing.span.bytes)
  }
}
