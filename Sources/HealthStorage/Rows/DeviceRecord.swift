/// The device that measured a sample. Two devices are equal if all eight fields are; a missing field only
/// equals a missing field. As JSON, it has the names of the properties, and missing fields are omitted.
package struct DeviceRecord: Codable, Hashable, Sendable {
  package var name: String?
  package var manufacturer: String?
  package var model: String?
  package var hardwareVersion: String?
  package var firmwareVersion: String?
  package var softwareVersion: String?
  package var localIdentifier: String?
  package var udiDeviceIdentifier: String?

  package init(_ values: [Field: String] = [:]) {
    for (field, value) in values { self[field] = value }
  }

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

    fileprivate var path: WritableKeyPath<DeviceRecord, String?> {
      switch self {
      case .name: \.name
      case .manufacturer: \.manufacturer
      case .model: \.model
      case .hardwareVersion: \.hardwareVersion
      case .firmwareVersion: \.firmwareVersion
      case .softwareVersion: \.softwareVersion
      case .localIdentifier: \.localIdentifier
      case .udiDeviceIdentifier: \.udiDeviceIdentifier
      }
    }
  }

  package subscript(field: Field) -> String? {
    get { self[keyPath: field.path] }
    set { self[keyPath: field.path] = newValue }
  }

  /// The columns of the table, in the order of `fields`.
  static let columns = Field.allCases.map(\.rawValue)

  var fields: [String?] { Field.allCases.map { self[$0] } }
}
