package import Bluetooth
package import HealthKit
package import HealthStorage

extension MonitorDescription {
  /// The Device Information strings, each with its places in a monitor's row and in a sample's device.
  private static let strings:
    [(
      characteristic: BluetoothUUID,
      path: any WritableKeyPath<DeviceInformationRecord, String?> & Sendable, field: DeviceRecord.Field?
    )] = [
      (.manufacturerNameString, \.manufacturer, .manufacturer), (.modelNumberString, \.model, .model),
      (.serialNumberString, \.serialNumber, nil),
      (.hardwareRevisionString, \.hardware, .hardwareVersion),
      (.firmwareRevisionString, \.firmware, .firmwareVersion),
      (.softwareRevisionString, \.software, .softwareVersion),
    ]

  /// Returns the strings of a row by characteristic.
  package static func deviceInformation(_ record: DeviceInformationRecord) -> [BluetoothUUID: String] {
    strings.reduce(into: [:]) { $0[$1.characteristic] = record[keyPath: $1.path] }
  }

  package init(_ peripheral: PeripheralIdentity, _ record: MonitorDescriptionRecord) {
    self.init(
      peripheral, name: record.name,
      sensorLocation: record.sensorLocation.flatMap(UInt8.init(exactly:)).flatMap(
        BodySensorLocation.init(rawValue:)),
      deviceInformation: Self.deviceInformation(record.information))
  }

  package var record: MonitorDescriptionRecord {
    var record = MonitorDescriptionRecord()
    record.name = name
    for string in Self.strings {
      record.information[keyPath: string.path] = deviceInformation[string.characteristic]
    }
    record.sensorLocation = sensorLocation.map { Int($0.rawValue) }
    return record
  }

  /// The `HKSource` of the monitor's samples.
  var source: HKSource { HKSource(name: sourceName, bundleIdentifier: Self.sourceIdentifier(of: address)) }

  var sourceName: String { name ?? "Monitor \(address)" }

  /// Returns the bundle identifier of the `HKSource` of a monitor.
  package static func sourceIdentifier(of address: String) -> String { "org.hrgate.monitor.\(address)" }

  /// The `HKDevice` of the monitor's samples.
  package var device: HKDevice {
    var record = DeviceRecord([.localIdentifier: address])
    record.name = name
    for case (let characteristic, _, let field?) in Self.strings {
      record[field] = deviceInformation[characteristic]
    }
    return HKDevice(record)
  }

  /// The metadata of each heart-rate sample of the monitor.
  var metadata: [String: Any] {
    var metadata: [String: Any] = [:]
    if let sensorLocation {
      // 0x2A38 and HKHeartRateSensorLocation use the same numbers.
      metadata[HKMetadataKeyHeartRateSensorLocation] = NSNumber(value: Int(sensorLocation.rawValue))
    }
    if let serial = deviceInformation[.serialNumberString] {
      metadata[HKMetadataKeyDeviceSerialNumber] = serial
    }
    return metadata
  }
}
