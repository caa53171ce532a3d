import Bluetooth
import BluetoothCentral
import GATT
import HealthKit

extension MonitorDescription {
  /// The text that stands for the monitor in identities: its address, or that none is known.
  var address: String { peripheral.description }

  /// The monitor as the source of its samples.
  var source: HKSource {
    HKSource(name: name ?? "Monitor \(address)", bundleIdentifier: "org.hrgate.monitor.\(address)")
  }

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

  /// The monitor as the store's list of enrolled ones tells of it.
  var details: MonitorDetails {
    var details = MonitorDetails()
    details.name = name
    details.manufacturer = deviceInformation[.manufacturerNameString]
    details.model = deviceInformation[.modelNumberString]
    details.serialNumber = deviceInformation[.serialNumberString]
    details.hardwareVersion = deviceInformation[.hardwareRevisionString]
    details.firmwareVersion = deviceInformation[.firmwareRevisionString]
    details.softwareVersion = deviceInformation[.softwareRevisionString]
    details.sensorLocation = sensorLocation.map { Int($0.rawValue) }
    return details
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
