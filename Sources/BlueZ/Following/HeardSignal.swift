public import Bluetooth

/// A monitor was heard while a discovery listened, and how strongly. bluetoothd tells it for advertisements
/// alone: of a link that stands it tells no strength.
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
