package import Bluetooth
package import DBus

/// A peripheral as one adapter knows it, as org.bluez.Device1 describes it. Two adapters know it as two
/// devices.
package struct Device1: Hashable, Sendable {
  package let path: ObjectPath
  package let adapter: ObjectPath
  package let address: BluetoothAddress
  /// The remote name; absent until one was advertised or read. `Alias`, which BlueZ makes up then, is not a
  /// name.
  package let name: String?
  /// Core Specification Supplement, Part A, §1.12.
  package let appearance: UInt16?
  /// Services that were advertised or discovered.
  package let services: [BluetoothUUID]
  /// dBm; present while a discovery hears the peripheral.
  package let rssi: Int?
  package let isPaired: Bool
  package let isTrusted: Bool
  package let isConnected: Bool
  /// Discovery of the services has ended, so the attributes are there.
  package let areServicesResolved: Bool

  /// - Returns: `nil` where the address or the adapter cannot be read.
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

  /// It advertised or has the Heart Rate Service.
  package var hasHeartRateService: Bool { services.contains(.heartRate) }

  /// It says of itself that it is a heart-rate sensor (Assigned Numbers §2.6.2: category 0x00D).
  package var looksLikeHeartRateSensor: Bool { appearance.map { $0 >> 6 == 0x0D } ?? false }
}

extension ObjectTree {
  func device(at path: ObjectPath) -> Device1? { typed.devices[path] }

  /// All devices of all adapters, in the order of their paths.
  var devices: [Device1] { typed.devices.values.sorted { $0.path.rawValue < $1.path.rawValue } }

  /// The peripheral as each of the adapters knows it.
  func devices(with address: BluetoothAddress) -> [Device1] { typed.devices(with: address) }

  /// Per cent, from the Battery Service.
  func batteryPercentage(at device: ObjectPath) -> Int? {
    properties(BlueZInterface.battery, at: device)?["Percentage"]?.asInteger
  }
}
