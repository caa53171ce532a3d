package import Bluetooth

/// What is known about a monitor: its name, Device Information and sensor location.
package struct MonitorDescription: Hashable, Sendable {
  package let peripheral: PeripheralIdentity
  /// The text that represents the monitor in sample UUIDs: its address, or a placeholder if the address is
  /// unknown.
  let address: String
  package private(set) var name: String? { didSet { note(name != oldValue) } }
  package private(set) var sensorLocation: BodySensorLocation? { didSet { note(sensorLocation != oldValue) } }
  /// The strings of the Device Information Service.
  package private(set) var deviceInformation: [BluetoothUUID: String] = [:] {
    didSet { note(deviceInformation != oldValue) }
  }
  /// A number that increases with each change, so that values computed from the description can be cached.
  private(set) var revision = 0

  package init(_ peripheral: PeripheralIdentity) {
    self.peripheral = peripheral
    address = peripheral.description
  }

  /// Creates a description from stored values.
  package init(
    _ peripheral: PeripheralIdentity, name: String?, sensorLocation: BodySensorLocation?,
    deviceInformation: [BluetoothUUID: String]
  ) {
    self.init(peripheral)
    if let name { setName(name) }
    self.sensorLocation = sensorLocation
    self.deviceInformation = deviceInformation.filter { !$0.value.isEmpty }
  }

  /// Increases the revision if something has changed. A strap often reports the same values again in another
  /// connection.
  private mutating func note(_ isChanged: Bool) {
    if isChanged { revision += 1 }
  }

  mutating func setName(_ name: String) {
    let name = name.trimmingNULs
    if !name.isEmpty { self.name = name }
  }

  /// Updates the description with the value of a characteristic. Ignores characteristics that do not describe
  /// a monitor.
  ///
  /// - Returns: The reason why the value could not be decoded; `nil` if it could.
  @discardableResult
  package mutating func learn(_ characteristic: BluetoothUUID, _ value: AttributeValue) -> GATTDecodingError
    .Reason?
  {
    do throws(GATTDecodingError) {
      switch characteristic {
      case .deviceName:
        setName(try DeviceInformationString(decoding: value, of: characteristic).text)
      case .bodySensorLocation:
        sensorLocation = try BodySensorLocation(decoding: value)
      case _ where DeviceInformationString.characteristics.contains(characteristic):
        let text = try DeviceInformationString(decoding: value, of: characteristic).text
        if !text.isEmpty { deviceInformation[characteristic] = text }
      default:
        break
      }
      return nil
    } catch {
      return error.reason
    }
  }

  /// Whether everything is known that a sample's device and metadata can contain.
  var isComplete: Bool {
    name != nil && sensorLocation != nil
      && DeviceInformationString.characteristics.allSatisfy { deviceInformation[$0] != nil }
  }
}

extension String {
  fileprivate var trimmingNULs: String { String(prefix { $0 != "\0" }) }
}
