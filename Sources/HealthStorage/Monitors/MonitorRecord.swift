/// A Bluetooth address as text, and its type as in HCI: 0 for public, 1 for random.
package struct AddressRecord: Hashable, Sendable {
  package var text: String
  package var kind: Int

  package init(text: String, kind: Int) {
    self.text = text
    self.kind = kind
  }
}

/// The strings of a monitor's Device Information Service. As JSON, they have the names of
/// `hrgate monitors --json`.
package struct DeviceInformationRecord: Codable, Hashable, Sendable {
  package var manufacturer: String?
  package var model: String?
  package var serialNumber: String?
  package var hardware: String?
  package var firmware: String?
  package var software: String?

  package init() {}

  /// The strings with their columns.
  static let columns: [(name: String, path: any WritableKeyPath<Self, String?> & Sendable)] = [
    ("manufacturer", \.manufacturer), ("model", \.model), ("serial_number", \.serialNumber),
    ("hardware_version", \.hardware), ("firmware_version", \.firmware), ("software_version", \.software),
  ]
}

/// A monitor's description, as far as it could be read from the monitor.
package struct MonitorDescriptionRecord: Hashable, Sendable {
  package var name: String?
  package var information = DeviceInformationRecord()
  /// The value of Body Sensor Location (0x2A38).
  package var sensorLocation: Int?

  package init() {}
}

/// A monitor that the user has paired and added to the store. Times are microseconds since 1970.
package struct MonitorRecord: Hashable, Sendable {
  package var address: AddressRecord
  /// The number of times the user has paired the monitor. The store increments it; the value in a record to
  /// save is ignored.
  package var revision = 0
  package var description = MonitorDescriptionRecord()
  package var isBonded: Bool
  /// When the monitor was first added to the store.
  package var enrolled: Int64
  package var lastSeen: Int64?
  package var lastMeasurement: Int64?
  /// The battery level in percent.
  package var battery: Int?
  /// The adapter that last connected to the monitor.
  package var adapter: AddressRecord?
  /// The last state that a gateway stored; `nil` if no gateway has tried to connect to the monitor.
  package var state: String?
  /// The user's declaration of the unit of its RR intervals: 1000 for 1/1000 s; `nil` for the standard 1/1024
  /// s.
  package var intervalUnit: Int?
  /// The user's declaration that the monitor's skin contact status is wrong.
  package var ignoresContact = false

  package init(address: AddressRecord, isBonded: Bool, enrolled: Int64) {
    self.address = address
    self.isBonded = isBonded
    self.enrolled = enrolled
  }
}

/// New information about a monitor. `nil` values have not changed.
package struct MonitorStatusRecord: Hashable, Sendable {
  package var address: AddressRecord
  package var description = MonitorDescriptionRecord()
  package var isBonded: Bool?
  package var lastSeen: Int64?
  package var lastMeasurement: Int64?
  package var battery: Int?
  package var adapter: AddressRecord?
  package var state: String?

  package init(address: AddressRecord) { self.address = address }
}
