package import Bluetooth

/// A monitor's name, Device Information and sensor location, as far as they are known.
package struct MonitorDescription: Hashable, Sendable {
  package let peripheral: PeripheralIdentity
  /// The monitor's text in identities: its address, or a placeholder if it has none.
  let address: String
  package private(set) var name: String? { didSet { note(name != oldValue) } }
  package private(set) var sensorLocation: BodySensorLocation? { didSet { note(sensorLocation != oldValue) } }
  /// The strings of the Device Information Service.
  package private(set) var deviceInformation: [BluetoothUUID: String] = [:] {
    didSet { note(deviceInformation != oldValue) }
  }
  /// Increases with each change, so that values derived from a description can be cached.
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

  /// Increases the revision after a change. A strap reports the same values again in each link, which is no
  /// change.
  private mutating func note(_ isChanged: Bool) {
    if isChanged { revision += 1 }
  }

  mutating func setName(_ name: String) {
    let name = name.trimmingNULs
    if !name.isEmpty { self.name = name }
  }

  /// Stores the value of a characteristic, if it describes a monitor.
  ///
  /// - Returns: The decoding failure, if the value could not be decoded.
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

  /// Whether all values that appear in a sample's device and metadata are known.
  var isComplete: Bool {
    name != nil && sensorLocation != nil
      && DeviceInformationString.characteristics.allSatisfy { deviceInformation[$0] != nil }
  }
}

extension String {
  fileprivate var trimmingNULs: String { String(prefix { $0 != "\0" }) }
}
