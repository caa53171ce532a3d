public import Bluetooth

extension BlueZHost {
  /// Removes a monitor from bluetoothd, with its bond.
  ///
  /// - Returns: Whether bluetoothd knew it.
  /// - Throws: ``BlueZError``.
  @discardableResult
  public func forget(_ address: BluetoothAddress) async throws -> Bool {
    var wasKnown = false
    for device in await mirror.tree.devices(with: address) {
      try await perform(.removeDevice(adapter: device.adapter, device: device.path))
      wasKnown = true
    }
    return wasKnown
  }
}
