/// What measured. Two devices are the same if all eight fields are, absent ones included.
package struct DeviceRecord: Hashable, Sendable {
  package var name: String?
  package var manufacturer: String?
  package var model: String?
  package var hardwareVersion: String?
  package var firmwareVersion: String?
  package var softwareVersion: String?
  package var localIdentifier: String?
  package var udiDeviceIdentifier: String?

  package init() {}

  /// The table's columns, in the order of `fields`.
  static let columns = [
    "name", "manufacturer", "model", "hardware_version", "firmware_version", "software_version",
    "local_identifier", "udi_device_identifier",
  ]

  var fields: [String?] {
    [
      name, manufacturer, model, hardwareVersion, firmwareVersion, softwareVersion, localIdentifier,
      udiDeviceIdentifier,
    ]
  }
}
