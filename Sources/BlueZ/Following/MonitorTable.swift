import Bluetooth

/// The monitors that are followed. Each is reached by its address, and one that is no longer followed by
/// none.
struct MonitorTable {
  private var monitors: [BluetoothAddress: Monitor] = [:]

  /// In an order that does not depend on chance.
  var addresses: [BluetoothAddress] { monitors.keys.sorted { $0.bits < $1.bits } }

  /// For questions about any or all of them: in no order.
  var all: some Sequence<Monitor> { monitors.values }

  subscript(address: BluetoothAddress) -> Monitor? { monitors[address] }

  mutating func add(_ monitor: Monitor) { monitors[monitor.address] = monitor }

  mutating func remove(_ address: BluetoothAddress) { monitors[address] = nil }

  /// The one way to change a monitor.
  ///
  /// - Returns: What `change` returns; `nil` where the monitor is not followed, and nothing is changed.
  @discardableResult
  mutating func update<Result>(_ address: BluetoothAddress, _ change: (inout Monitor) -> Result) -> Result? {
    // In place: this is done for each measurement.
    guard let index = monitors.index(forKey: address) else { return nil }
    return change(&monitors.values[index])
  }

  /// Changes the link that bluetoothd tells of a monitor.
  ///
  /// - Returns: What `change` returns; `nil` where there is no such link, and nothing is changed.
  @discardableResult
  mutating func updateLink<Result>(
    _ address: BluetoothAddress, _ change: (inout MonitorLink.Standing) -> Result
  ) -> Result? {
    update(address) { $0.updateLink(change) } ?? nil
  }
}
