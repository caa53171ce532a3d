import Bluetooth
import HealthKit

extension MonitorDescription {
  /// The `HKSource` of the monitor's samples.
  var source: HKSource { HKSource(name: sourceName, bundleIdentifier: Self.sourceIdentifier(of: address)) }

  var sourceName: String { name ?? "Monitor \(address)" }

  /// Returns the bundle identifier of the `HKSource` of a monitor.
  package static func sourceIdentifier(of address: String) -> String { "org.hrgate.monitor.\(address)" }

  /// The `HKDevice` of the monitor's samples.
  var device: HKDevice {
    HKDevice(
      name: name, manufacturer: deviceInformation[.manufacturerNameString],
      model: deviceInformation[.modelNumberString],
      hardwareVersion: deviceInformation[.hardwareRevisionString],
      firmwareVersion: deviceInformation[.firmwareRevisionString],
      softwareVersion: deviceInformation[.softwareRevisionString], localIdentifier: address,
      udiDeviceIdentifier: nil)
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
