import Bluetooth

/// The followed monitors by address.
struct MonitorTable {
  private var monitors: [BluetoothAddress: Monitor] = [:]

  /// The addresses, sorted so that the order is the same in each run.
  var addresses: [BluetoothAddress] { monitors.keys.sorted { $0.bits < $1.bits } }

  /// All monitors in no particular order, for checks that concern any or all of them.
  var all: some Sequence<Monitor> { monitors.values }

  subscript(address: BluetoothAddress) -> Monitor? { monitors[address] }

  mutating func add(_ monitor: Monitor) { monitors[monitor.address] = monitor }

  mutating func remove(_ address: BluetoothAddress) { monitors[address] = nil }

  /// Changes a monitor. This is the only way to do so.
  ///
  /// - Returns: The result of `change`; `nil`, without changing anything, if the monitor is not followed.
  @discardableResult
  mutating func update<Result>(_ address: BluetoothAddress, _ change: (inout Monitor) -> Result) -> Result? {
    // Update in place, without a copy, because this runs for each measurement.
    guard let index = monitors.index(forKey: address) else { return nil }
    return change(&monitors.values[index])
  }

  /// Changes the link that bluetoothd reports for a monitor.
  ///
  /// - Returns: The result of `change`; `nil`, without changing anything, if there is no such link.
  @discardableResult
  mutating func updateLink<Result>(
    _ address: BluetoothAddress, _ change: (inout MonitorLink.EstablishedLink) -> Result
  ) -> Result? {
    update(address) { $0.updateLink(change) } ?? nil
  }
}
