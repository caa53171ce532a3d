import Bluetooth
import DBus

/// Reads the monitor's description, such as its manufacturer and firmware version. This is done in each link,
/// because the firmware may have been updated.
extension FollowingMachine {
  mutating func describe(_ address: BluetoothAddress, _ device: Device1) {
    guard let link = monitors[address]?.link?.established, link.outstandingReads == nil else { return }
    let readable = tree.characteristics(of: device.path).filter {
      $0.characteristic.canBeRead && Self.isDescription($0.service.uuid, $0.characteristic.uuid)
    }
    monitors.updateLink(address) { $0.outstandingReads = readable.count }
    for (_, characteristic) in readable {
      call(
        .readValue(characteristic: characteristic.path),
        for: .describe(address, device.path, characteristic.uuid))
    }
    if readable.isEmpty { emit(.described(.address(address))) }
  }

  static func isDescription(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) -> Bool {
    switch service {
    case .heartRate: characteristic == .bodySensorLocation
    case .deviceInformation: DeviceInformationString.characteristics.contains(characteristic)
    default: false
    }
  }

  mutating func readAnswered(
    _ reply: BlueZReply, _ address: BluetoothAddress, _ device: ObjectPath, _ characteristic: BluetoothUUID
  ) {
    // Ignore replies that belong to an earlier link.
    guard let link = monitors[address]?.link?.established, link.device == device,
      let outstanding = link.outstandingReads
    else { return }
    if case .value(let bytes) = reply {
      emit(.valueRead(.address(address), characteristic, AttributeValue(bytes)))
    }
    monitors.updateLink(address) { $0.outstandingReads = outstanding - 1 }
    if outstanding == 1 { emit(.described(.address(address))) }
  }

  /// Reports the monitor's name. bluetoothd reads it again in each link, after reporting the connection.
  mutating func reportName(_ address: BluetoothAddress, _ device: Device1) {
    guard let name = device.name, monitors.update(address, { $0.setName(name) }) == true else { return }
    emit(.named(.address(address), name))
  }

  /// Reports the battery level, which bluetoothd reads and subscribes to by itself.
  mutating func reportBattery(_ address: BluetoothAddress, _ device: Device1) {
    guard let percentage = tree.batteryPercentage(at: device.path), let level = UInt8(exactly: percentage),
      monitors.update(address, { $0.setBattery(level) }) == true
    else { return }
    emit(.valueRead(.address(address), .batteryLevel, AttributeValue([level])))
  }

  /// Resets the monitor's energy total to 0, if the user requested it and it has not been done yet (Heart
  /// Rate Service 1.0, §3.3).
  mutating func resetEnergy(_ address: BluetoothAddress) {
    guard let monitor = monitors[address], monitor.wantsEnergyReset,
      let device = monitor.link?.established?.device
    else { return }
    monitors.update(address) { $0.endEnergyReset() }
    guard let point = tree.characteristic(.heartRateControlPoint, in: .heartRate, of: device) else {
      return set(.following, address, detail: "it has no control point, so its energy total was not reset")
    }
    call(
      .writeValue(characteristic: point.path, HeartRateControlPoint.resetEnergyExpended.encoded.bytes),
      for: .resetEnergy(address))
  }

  mutating func energyResetAnswered(_ reply: BlueZReply, _ address: BluetoothAddress) {
    guard case .failed(let error) = reply, let state = monitors[address]?.state else { return }
    let detail =
      error.meaning == .attributeError(0x80)
      ? "the monitor cannot reset its energy total (0x80 Control Point Not Supported)" : error.description
    set(state, address, detail: detail)
  }
}
