package import Bluetooth

/// LE Connection Complete and its enhanced forms (Core Specification, Vol 4, Part E, §7.7.65.1, §7.7.65.10).
///
/// All forms start with the same fields, and only these are decoded.
package struct LEConnectionComplete {
  package var status: UInt8
  package var handle: UInt16
  var role: LinkState.Role
  /// Whether the host has the role of the peripheral.
  package var isPeripheral: Bool { role == .peripheral }
  package var peer: BluetoothAddress

  /// - Parameter parameters: The parameters of the LE Meta event, including the subevent code.
  package init?(_ parameters: RawSpan) {
    guard let status = parameters.uint8(at: 1), let handle = parameters.uint16LE(at: 2),
      let role = parameters.uint8(at: 4), let type = parameters.uint8(at: 5),
      // Address types 2 and 3 are identity addresses (public and random) resolved by the controller.
      let peer = BluetoothAddress(
        littleEndian: parameters, at: 6, kind: type & 1 == 0 ? .publicDevice : .random)
    else { return nil }
    self.status = status
    self.handle = handle & 0x0FFF
    self.role = role == 1 ? .peripheral : .central
    self.peer = peer
  }
}
