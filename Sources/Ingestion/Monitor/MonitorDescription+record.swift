package import Bluetooth
package import HealthStorage

extension MonitorDescription {
  /// The columns of a monitor's row that contain Device Information strings, with the characteristic of each.
  private static let columns:
    [(BluetoothUUID, any WritableKeyPath<MonitorDescriptionRecord, String?> & Sendable)] = [
      (.manufacturerNameString, \.manufacturer), (.modelNumberString, \.model),
      (.serialNumberString, \.serialNumber), (.hardwareRevisionString, \.hardwareVersion),
      (.firmwareRevisionString, \.firmwareVersion), (.softwareRevisionString, \.softwareVersion),
    ]

  package init(_ peripheral: PeripheralIdentity, _ record: MonitorDescriptionRecord) {
    self.init(
      peripheral, name: record.name,
      sensorLocation: record.sensorLocation.flatMap(UInt8.init(exactly:)).flatMap(
        BodySensorLocation.init(rawValue:)),
      deviceInformation: Self.columns.reduce(into: [:]) { $0[$1.0] = record[keyPath: $1.1] })
  }

  package var record: MonitorDescriptionRecord {
    var record = MonitorDescriptionRecord()
    record.name = name
    for (characteristic, column) in Self.columns {
      record[keyPath: column] = deviceInformation[characteristic]
    }
    record.sensorLocation = sensorLocation.map { Int($0.rawValue) }
    return record
  }
}
