import Bluetooth
import HealthKit

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
