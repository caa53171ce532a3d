package import Bluetooth
package import DBus

/// A peripheral as one adapter knows it (org.bluez.Device1). Each adapter has its own device object for it.
package struct Device1: Hashable, Sendable {
  package let path: ObjectPath
  package let adapter: ObjectPath
  package let address: BluetoothAddress
  /// The name that was advertised or read; `nil` before. `Alias` is not used, because BlueZ invents one if
  /// there is no name.
  package let name: String?
  /// The GAP appearance (Core Specification Supplement, Part A, §1.12).
  package let appearance: UInt16?
  /// Services that were advertised or discovered.
  package let services: [BluetoothUUID]
  /// Received signal strength in dBm; `nil` unless a discovery is currently receiving the peripheral.
  package let rssi: Int?
  package let isPaired: Bool
  package let isTrusted: Bool
  package let isConnected: Bool
  /// Whether bluetoothd has finished discovering the services.
  package let areServicesResolved: Bool

  /// - Returns: `nil` if the address or the adapter is missing or invalid.
  init?(at path: ObjectPath, _ properties: Properties) {
    guard let address = properties.address, let adapter = properties["Adapter"]?.asObjectPath else {
      return nil
    }
    self.path = path
    self.adapter = adapter
    self.address = address
    name = properties["Name"]?.asString
    appearance = properties["Appearance"]?.asInteger.flatMap { UInt16(exactly: $0) }
    services = (properties["UUIDs"]?.asArray ?? []).compactMap { $0.asString.flatMap(BluetoothUUID.init) }
    rssi = properties["RSSI"]?.asInteger
    isPaired = properties["Paired"]?.asBool ?? false
    isTrusted = properties["Trusted"]?.asBool ?? false
    isConnected = properties["Connected"]?.asBool ?? false
    areServicesResolved = properties["ServicesResolved"]?.asBool ?? false
  }

  /// Whether the device has or advertised a service with measurements: the Heart Rate Service.
  package var hasHeartRateService: Bool {
    BluetoothUUID.measured.contains { services.contains($0.service) }
  }

  /// Whether its appearance is a heart-rate sensor (Assigned Numbers §2.6.2: category 0x00D).
  package var looksLikeHeartRateSensor: Bool { appearance.map { $0 >> 6 == 0x0D } ?? false }
}

extension ObjectTree {
  /// Returns the characteristic that sends a monitor's measurements.
  func measurement(of device: ObjectPath) -> GattCharacteristic1? {
    BluetoothUUID.measured.lazy
      .compactMap { characteristic($0.characteristic, in: $0.service, of: device) }.first
  }

  func device(at path: ObjectPath) -> Device1? { typed.devices[path] }

  /// All devices of all adapters, sorted by path.
  var devices: [Device1] { typed.devices.values.sorted { $0.path.rawValue < $1.path.rawValue } }

  /// The devices with this address, sorted by path, at most one per adapter.
  func devices(with address: BluetoothAddress) -> [Device1] { typed.devices(with: address) }

  /// The battery level in percent, from the Battery Service.
  func batteryPercentage(at device: ObjectPath) -> Int? {
    properties(BlueZInterface.battery, at: device)?["Percentage"]?.asInteger
  }
}
