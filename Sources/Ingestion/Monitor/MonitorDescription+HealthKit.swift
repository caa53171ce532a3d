import Bluetooth
import HealthKit
import HealthStorage

extension MonitorDescription {
  /// The monitor as the source of its samples.
  var source: HKSource { HKSource(name: sourceName, bundleIdentifier: Self.sourceIdentifier(of: address)) }

  var sourceName: String { name ?? "Monitor \(address)" }

  /// The bundle identifier of the source that a monitor is.
  package static func sourceIdentifier(of address: String) -> String { "org.hrgate.monitor.\(address)" }

  /// The monitor as the device that measured.
  var device: HKDevice {
    HKDevice(
      name: name, manufacturer: deviceInformation[.manufacturerNameString],
      model: deviceInformation[.modelNumberString],
      hardwareVersion: deviceInformation[.hardwareRevisionString],
      firmwareVersion: deviceInformation[.firmwareRevisionString],
      softwareVersion: deviceInformation[.softwareRevisionString], localIdentifier: address,
      udiDeviceIdentifier: nil)
  }

  /// The description as the row of an enrolled monitor has it.
  var record: MonitorDescriptionRecord {
    var record = MonitorDescriptionRecord()
    record.name = name
    record.manufacturer = deviceInformation[.manufacturerNameString]
    record.model = deviceInformation[.modelNumberString]
    record.serialNumber = deviceInformation[.serialNumberString]
    record.hardwareVersion = deviceInformation[.hardwareRevisionString]
    record.firmwareVersion = deviceInformation[.firmwareRevisionString]
    record.softwareVersion = deviceInformation[.softwareRevisionString]
    record.sensorLocation = sensorLocation.map { Int($0.rawValue) }
    return record
  }

  /// What each heart-rate sample of the monitor says beside its value.
  var metadata: [String: Any] {
    var metadata: [String: Any] = [:]
    if let sensorLocation {
      // 0x2A38 and HKHeartRateSensorLocation number the places alike.
      metadata[HKMetadataKeyHeartRateSensorLocation] = NSNumber(value: Int(sensorLocation.rawValue))
    }
    if let serial = deviceInformation[.serialNumberString] {
      metadata[HKMetadataKeyDeviceSerialNumber] = serial
    }
    return metadata
  }
}
