/// An address as text, and its kind as the number that a controller gives it: 0 public, 1 random.
package struct AddressRecord: Hashable, Sendable {
  package var text: String
  package var kind: Int

  package init(text: String, kind: Int) {
    self.text = text
    self.kind = kind
  }
}

/// What a monitor says of itself, as far as it is known.
package struct MonitorDescriptionRecord: Hashable, Sendable {
  package var name: String?
  package var manufacturer: String?
  package var model: String?
  package var serialNumber: String?
  package var hardwareVersion: String?
  package var firmwareVersion: String?
  package var softwareVersion: String?
  /// As 0x2A38 numbers the places.
  package var sensorLocation: Int?

  package init() {}
}

/// A monitor that the user enrolled. Times are microseconds since 1970.
package struct MonitorRecord: Hashable, Sendable {
  package var address: AddressRecord
  /// How often it was enrolled. The store counts; what is given is passed over.
  package var revision = 0
  package var description = MonitorDescriptionRecord()
  package var isBonded: Bool
  /// The first time.
  package var enrolled: Int64
  package var lastSeen: Int64?
  package var lastMeasurement: Int64?
  /// Percent.
  package var battery: Int?
  /// The adapter that saw it last.
  package var adapter: AddressRecord?
  /// How far the gateway is with it, in the gateway's words; nil where none has followed it.
  package var state: String?
  /// The declared unit of its intervals, as parts of a second; nil for 1024.
  package var intervalUnit: Int?
  /// Whether the user declared that what it says about sensor contact is wrong.
  package var ignoresContact = false

  package init(address: AddressRecord, isBonded: Bool, enrolled: Int64) {
    self.address = address
    self.isBonded = isBonded
    self.enrolled = enrolled
  }
}

/// What was learnt about an enrolled monitor; nil for what was not.
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
