/// An address as text, and its kind: 0 public, 1 random (as in HCI).
package struct AddressRecord: Hashable, Sendable {
  package var text: String
  package var kind: Int

  package init(text: String, kind: Int) {
    self.text = text
    self.kind = kind
  }
}

/// A monitor's description of itself, as far as known.
package struct MonitorDescriptionRecord: Hashable, Sendable {
  package var name: String?
  package var manufacturer: String?
  package var model: String?
  package var serialNumber: String?
  package var hardwareVersion: String?
  package var firmwareVersion: String?
  package var softwareVersion: String?
  /// The body sensor location, as the value of characteristic 0x2A38.
  package var sensorLocation: Int?

  package init() {}
}

/// A monitor that the user enrolled. Times are microseconds since 1970.
package struct MonitorRecord: Hashable, Sendable {
  package var address: AddressRecord
  /// The number of times it was enrolled. Maintained by the store; ignored when a record is saved.
  package var revision = 0
  package var description = MonitorDescriptionRecord()
  package var isBonded: Bool
  /// The time of the first enrollment.
  package var enrolled: Int64
  package var lastSeen: Int64?
  package var lastMeasurement: Int64?
  /// Percent.
  package var battery: Int?
  /// The adapter that saw it last.
  package var adapter: AddressRecord?
  /// The gateway's state of the monitor, in its own format; nil if no gateway has followed it.
  package var state: String?
  /// The declared unit of its RR intervals in fractions of a second; nil for 1024.
  package var intervalUnit: Int?
  /// Whether the user declared that its sensor contact status is wrong.
  package var ignoresContact = false

  package init(address: AddressRecord, isBonded: Bool, enrolled: Int64) {
    self.address = address
    self.isBonded = isBonded
    self.enrolled = enrolled
  }
}

/// New information about an enrolled monitor; nil for values that did not change.
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
