public import Bluetooth
import Ingestion

extension EnrolledMonitor {
  /// Keeps what was read of the monitor: strings of Device Information, its name and where it is worn. Values
  /// that cannot be decoded, and those that do not describe a monitor, are ignored.
  public mutating func learn(_ values: [(characteristic: BluetoothUUID, value: AttributeValue)]) {
    var description = description
    for (characteristic, value) in values { description.learn(characteristic, value) }
    name = description.name
    sensorLocation = description.sensorLocation
    for (characteristic, text) in Self.deviceInformation {
      self[keyPath: text] = description.deviceInformation[characteristic]
    }
  }

  /// The bundle identifier of the source that its samples have.
  public var sourceIdentifier: String { MonitorDescription.sourceIdentifier(of: address.description) }

  /// What the monitor said of itself when it was last asked.
  var description: MonitorDescription {
    var texts: [BluetoothUUID: String] = [:]
    for (characteristic, text) in Self.deviceInformation { texts[characteristic] = self[keyPath: text] }
    return MonitorDescription(
      .address(address), name: name, sensorLocation: sensorLocation, deviceInformation: texts)
  }

  /// The strings of the Device Information Service.
  private static let deviceInformation:
    [(BluetoothUUID, any WritableKeyPath<EnrolledMonitor, String?> & Sendable)] = [
      (.manufacturerNameString, \.manufacturer), (.modelNumberString, \.model),
      (.serialNumberString, \.serialNumber), (.hardwareRevisionString, \.hardwareRevision),
      (.firmwareRevisionString, \.firmwareRevision), (.softwareRevisionString, \.softwareRevision),
    ]
}
