public import Bluetooth
import BluetoothCentral
import GATT

extension EnrolledMonitor {
  /// Takes what was read of the monitor: strings of Device Information, its name and where it is worn. What cannot be decoded,
  /// and what describes no monitor, is passed over.
  public mutating func takeDescription(_ values: [(characteristic: BluetoothUUID, value: AttributeValue)]) {
    var description = MonitorDescription(.address(address))
    for (characteristic, value) in values { _ = description.take(characteristic, value) }
    name = description.name ?? name
    sensorLocation = description.sensorLocation ?? sensorLocation
    let strings = description.deviceInformation
    manufacturer = strings[.manufacturerNameString] ?? manufacturer
    model = strings[.modelNumberString] ?? model
    serialNumber = strings[.serialNumberString] ?? serialNumber
    hardwareRevision = strings[.hardwareRevisionString] ?? hardwareRevision
    firmwareRevision = strings[.firmwareRevisionString] ?? firmwareRevision
    softwareRevision = strings[.softwareRevisionString] ?? softwareRevision
  }
}
