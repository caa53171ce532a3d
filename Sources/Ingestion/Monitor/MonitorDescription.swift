package import Bluetooth

/// What is known about a monitor: its name, what its Device Information says, and where it is worn.
package struct MonitorDescription: Hashable, Sendable {
  package let peripheral: PeripheralIdentity
  /// The text that stands for the monitor in identities: its address, or that none is known.
  let address: String
  package private(set) var name: String? { didSet { note(name != oldValue) } }
  package private(set) var sensorLocation: BodySensorLocation? { didSet { note(sensorLocation != oldValue) } }
  /// The strings of the Device Information Service.
  package private(set) var deviceInformation: [BluetoothUUID: String] = [:] {
    didSet { note(deviceInformation != oldValue) }
  }
  /// Rises whenever something is learnt, so that what depends on a description is derived once.
  private(set) var revision = 0

  package init(_ peripheral: PeripheralIdentity) {
    self.peripheral = peripheral
    address = peripheral.description
  }

  /// What a monitor said of itself when it was last asked.
  package init(
    _ peripheral: PeripheralIdentity, name: String?, sensorLocation: BodySensorLocation?,
    deviceInformation: [BluetoothUUID: String]
  ) {
    self.init(peripheral)
    if let name { setName(name) }
    self.sensorLocation = sensorLocation
    self.deviceInformation = deviceInformation.filter { !$0.value.isEmpty }
  }

  /// A strap says the same again in each link: that is no news, and what it measures goes on together.
  private mutating func note(_ isChanged: Bool) {
    if isChanged { revision += 1 }
  }

  mutating func setName(_ name: String) {
    let name = name.trimmingNULs
    if !name.isEmpty { self.name = name }
  }

  /// A characteristic was read.
  ///
  /// - Returns: Why its value could not be decoded, if the characteristic describes a monitor.
  @discardableResult
  package mutating func learn(_ characteristic: BluetoothUUID, _ value: AttributeValue) -> DecodingFailure
    .Reason?
  {
    do throws(DecodingFailure) {
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

  /// Everything that a sample says about its monitor is known.
  var isComplete: Bool {
    name != nil && sensorLocation != nil
      && DeviceInformationString.characteristics.allSatisfy { deviceInformation[$0] != nil }
  }
}

extension String {
  fileprivate var trimmingNULs: String { String(prefix { $0 != "\0" }) }
}
