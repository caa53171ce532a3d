public import Bluetooth

/// A peripheral in the air, or one that bluetoothd remembers.
public struct SeenPeripheral: Hashable, Sendable {
  public var address: BluetoothAddress
  /// As it was advertised, or read; may hold whatever its owner put there.
  public var name: String?
  /// dBm of the last advertisement; `nil` where none was heard in this scan.
  public var rssi: Int?
  public var appearance: UInt16?
  public var isPaired: Bool
  public var isConnected: Bool
  /// It advertised, or has, the Heart Rate Service.
  public var hasHeartRateService: Bool
  /// It says by its appearance that it is a heart-rate sensor.
  public var looksLikeHeartRateSensor: Bool

  init(_ device: Device1) {
    address = device.address
    name = device.name
    rssi = device.rssi
    appearance = device.appearance
    isPaired = device.isPaired
    isConnected = device.isConnected
    hasHeartRateService = device.hasHeartRateService
    looksLikeHeartRateSensor = device.looksLikeHeartRateSensor
  }
}
