import Bluetooth

extension AttributeDatabase {
  /// Creates the services of a strap: Generic Access, Heart Rate, Device Information and Battery.
  init(_ strap: StrapProfile) {
    self.init(mtu: max(23, strap.mtu))
    let heartRateSensorBelt: [UInt8] = [0x41, 0x03]
    addService(.genericAccess)
    addCharacteristic(.deviceName, .read, Array(strap.name.utf8))
    addCharacteristic(.appearance, .read, heartRateSensorBelt)

    addService(.heartRate)
    addCharacteristic(.heartRateMeasurement, .notify)
    addCharacteristic(.bodySensorLocation, .read, strap.sensorLocation.encoded.bytes)
    if strap.energyEvery != nil { addCharacteristic(.heartRateControlPoint, .write) }

    addService(.deviceInformation)
    for uuid in DeviceInformationString.characteristics {
      let text = strap.deviceInformation[uuid] ?? ""
      addCharacteristic(uuid, .read, DeviceInformationString(text).encoded.bytes)
    }

    addService(.battery)
    addCharacteristic(.batteryLevel, [.read, .notify], [strap.batteryLevel])
  }
}
