import Bluetooth
import BluetoothCentral
import DBus
import GATT

/// What a monitor says of itself: read once in each link, since a firmware may have been changed in between.
extension FollowingMachine {
  mutating func describe(_ address: BluetoothAddress, _ device: Device1) {
    guard let link = links[address], link.outstandingReads == nil else { return }
    let readable = tree.characteristics(of: device.path).filter {
      $0.characteristic.canBeRead && Self.isDescription($0.service.uuid, $0.characteristic.uuid)
    }
    links[address]?.outstandingReads = readable.count
    for (_, characteristic) in readable {
      call(
        .readValue(characteristic: characteristic.path),
        for: .describe(address, device.path, characteristic.uuid))
    }
    if readable.isEmpty { emit(.described(link.peripheral)) }
  }

  static func isDescription(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) -> Bool {
    switch service {
    case .heartRate: characteristic == .bodySensorLocation
    case .deviceInformation: DeviceInformationString.characteristics.contains(characteristic)
    default: false
    }
  }

  mutating func takeDescription(
    _ answer: BlueZAnswer, _ address: BluetoothAddress, _ device: ObjectPath, _ characteristic: BluetoothUUID
  ) {
    // Of the link that asked, not of a later one.
    guard let link = links[address], link.device == device, let outstanding = link.outstandingReads else {
      return
    }
    if case .value(let bytes) = answer {
      emit(.valueRead(link.peripheral, characteristic, AttributeValue(bytes)))
    }
    links[address]?.outstandingReads = outstanding - 1
    if outstanding == 1 { emit(.described(link.peripheral)) }
  }

  /// bluetoothd reads and follows the battery by itself.
  mutating func tellBattery(_ address: BluetoothAddress, _ device: Device1) {
    guard let link = links[address], let percentage = tree.batteryPercentage(at: device.path),
      percentage != link.battery, let level = UInt8(exactly: percentage)
    else { return }
    links[address]?.battery = percentage
    emit(.valueRead(link.peripheral, .batteryLevel, AttributeValue([level])))
  }

  /// Sets the monitor's total of energy to 0, once for each time it was asked for (Heart Rate Service 1.0, §3.3).
  mutating func resetEnergy(_ address: BluetoothAddress) {
    guard let link = links[address], link.wantsEnergyReset, let device = link.device else { return }
    links[address]?.wantsEnergyReset = false
    guard let point = tree.characteristic(.heartRateControlPoint, in: .heartRate, of: device) else {
      return set(.following, address, detail: "it has no control point: its energy total is not reset")
    }
    call(
      .writeValue(characteristic: point.path, HeartRateControlPoint.resetEnergyExpended.encoded.bytes),
      for: .resetEnergy(address))
  }

  mutating func takeEnergyReset(_ answer: BlueZAnswer, _ address: BluetoothAddress) {
    guard case .failed(let error) = answer, let state = links[address]?.state else { return }
    let detail =
      error.meaning == .attributeError(0x80)
      ? "it cannot reset its energy total (0x80 Control Point Not Supported)" : error.description
    set(state, address, detail: detail)
  }
}
