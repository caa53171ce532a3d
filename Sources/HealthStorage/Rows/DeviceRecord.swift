/// The device that measured a sample. Two devices are equal if all eight fields are; a missing field only
/// equals a missing field.
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

  /// The eight fields. The raw value is the name of the column.
  package enum Field: String, CaseIterable, Sendable {
    case name
    case manufacturer
    case model
    case hardwareVersion = "hardware_version"
    case firmwareVersion = "firmware_version"
    case softwareVersion = "software_version"
    case localIdentifier = "local_identifier"
    case udiDeviceIdentifier = "udi_device_identifier"
  }

  package subscript(field: Field) -> String? {
    switch field {
    case .name: name
    case .manufacturer: manufacturer
    case .model: model
    case .hardwareVersion: hardwareVersion
    case .firmwareVersion: firmwareVersion
    case .softwareVersion: softwareVersion
    case .localIdentifier: localIdentifier
    case .udiDeviceIdentifier: udiDeviceIdentifier
    }
  }

  /// The columns of the table, in the order of `fields`.
  static let columns = Field.allCases.map(\.rawValue)

  var fields: [String?] { Field.allCases.map { self[$0] } }
}
