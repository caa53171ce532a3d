public import Bluetooth

/// The signal strength of a monitor in a discovery. bluetoothd reports it only for advertisements, not during
/// a connection.
public struct HeardSignal: Hashable, Sendable {
  public var monitor: BluetoothAddress
  /// Received signal strength, in dBm.
  public var rssi: Int
  public var time: ReceiptTime

  public init(monitor: BluetoothAddress, rssi: Int, time: ReceiptTime) {
    self.monitor = monitor
    self.rssi = rssi
    self.time = time
  }
}
