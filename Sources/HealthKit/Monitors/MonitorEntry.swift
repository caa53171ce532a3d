import HealthStorage

// A heart-rate monitor as the store keeps it for the gateway: texts and numbers, because this module knows no radio. Times are
// microseconds since 1970.

/// An address as text, and its kind as the number that a controller gives it.
package struct MonitorAddress: Hashable, Sendable {
  package var text: String
  package var kind: Int

  package init(text: String, kind: Int) {
    self.text = text
    self.kind = kind
  }
}

/// What a monitor says of itself, as far as it is known.
package struct MonitorDetails: Hashable, Sendable {
  package var name: String?
  package var manufacturer: String?
  package var model: String?
  package var serialNumber: String?
  package var hardwareVersion: String?
  package var firmwareVersion: String?
  package var softwareVersion: String?
  /// As `HKHeartRateSensorLocation` numbers the places.
  package var sensorLocation: Int?

  package init() {}
}

/// A monitor that the user enrolled.
package struct MonitorEntry: Hashable, Sendable {
  package var address: MonitorAddress
  /// How often it was enrolled; the store counts.
  package internal(set) var revision = 0
  package var details = MonitorDetails()
  package var isBonded: Bool
  package var enrolled: Int64
  package var lastSeen: Int64?
  package var lastMeasurement: Int64?
  /// Percent.
  package var battery: Int?
  /// The adapter that saw it last.
  package var adapter: MonitorAddress?
  /// How far the gateway is with it, in the gateway's words; nil where none has followed it.
  package var state: String?

  package init(address: MonitorAddress, isBonded: Bool, enrolled: Int64) {
    self.address = address
    self.isBonded = isBonded
    self.enrolled = enrolled
  }
}

/// What was learnt about a monitor; nil for what was not.
package struct MonitorStatus: Hashable, Sendable {
  package var address: MonitorAddress
  package var details = MonitorDetails()
  package var isBonded: Bool?
  package var lastSeen: Int64?
  package var lastMeasurement: Int64?
  package var battery: Int?
  package var adapter: MonitorAddress?
  package var state: String?

  package init(address: MonitorAddress) { self.address = address }
}

extension MonitorAddress {
  init(_ record: AddressRecord) { self.init(text: record.text, kind: record.kind) }

  var record: AddressRecord { AddressRecord(text: text, kind: kind) }
}

extension MonitorDetails {
  fileprivate init(_ record: MonitorDescriptionRecord) {
    name = record.name
    manufacturer = record.manufacturer
    model = record.model
    serialNumber = record.serialNumber
    hardwareVersion = record.hardwareVersion
    firmwareVersion = record.firmwareVersion
    softwareVersion = record.softwareVersion
    sensorLocation = record.sensorLocation
  }

  fileprivate var record: MonitorDescriptionRecord {
    var record = MonitorDescriptionRecord()
    record.name = name
    record.manufacturer = manufacturer
    record.model = model
    record.serialNumber = serialNumber
    record.hardwareVersion = hardwareVersion
    record.firmwareVersion = firmwareVersion
    record.softwareVersion = softwareVersion
    record.sensorLocation = sensorLocation
    return record
  }
}

extension MonitorEntry {
  init(_ record: MonitorRecord) {
    self.init(
      address: MonitorAddress(record.address), isBonded: record.isBonded, enrolled: record.enrolled)
    revision = record.revision
    details = MonitorDetails(record.description)
    lastSeen = record.lastSeen
    lastMeasurement = record.lastMeasurement
    battery = record.battery
    adapter = record.adapter.map(MonitorAddress.init)
    state = record.state
  }

  var record: MonitorRecord {
    var record = MonitorRecord(address: address.record, isBonded: isBonded, enrolled: enrolled)
    record.description = details.record
    record.lastSeen = lastSeen
    record.lastMeasurement = lastMeasurement
    record.battery = battery
    record.adapter = adapter?.record
    record.state = state
    return record
  }
}

extension MonitorStatus {
  var record: MonitorStatusRecord {
    var record = MonitorStatusRecord(address: address.record)
    record.description = details.record
    record.isBonded = isBonded
    record.lastSeen = lastSeen
    record.lastMeasurement = lastMeasurement
    record.battery = battery
    record.adapter = adapter?.record
    record.state = state
    return record
  }
}
