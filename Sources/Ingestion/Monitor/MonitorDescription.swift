import Bluetooth
import BluetoothCentral
import GATT

/// What is known about a monitor: its name, what its Device Information says, and where it is worn.
struct MonitorDescription: Hashable, Sendable {
  let peripheral: PeripheralIdentity
  private(set) var name: String? { didSet { revision += 1 } }
  private(set) var sensorLocation: BodySensorLocation? { didSet { revision += 1 } }
  private(set) var deviceInformation: [BluetoothUUID: String] = [:] { didSet { revision += 1 } }
  /// Rises whenever something was learnt, so that what is derived from a description is derived once.
  private(set) var revision = 0

  init(_ peripheral: PeripheralIdentity) { self.peripheral = peripheral }

  /// What an enrolled monitor said of itself when it was last asked.
  init(_ monitor: EnrolledMonitor) {
    peripheral = .address(monitor.address)
    if let name = monitor.name { setName(name) }
    sensorLocation = monitor.sensorLocation
    let texts: [(BluetoothUUID, String?)] = [
      (.manufacturerNameString, monitor.manufacturer), (.modelNumberString, monitor.model),
      (.serialNumberString, monitor.serialNumber), (.hardwareRevisionString, monitor.hardwareRevision),
      (.firmwareRevisionString, monitor.firmwareRevision),
      (.softwareRevisionString, monitor.softwareRevision),
    ]
    for case (let characteristic, let text?) in texts where !text.isEmpty {
      deviceInformation[characteristic] = text
    }
  }

  mutating func setName(_ name: String) {
    let name = name.trimmingNULs
    if !name.isEmpty { self.name = name }
  }

  /// Takes the value of a characteristic that was read.
  ///
  /// - Returns: A reason where the characteristic describes a monitor and the value cannot be read.
  mutating func take(_ characteristic: BluetoothUUID, _ value: AttributeValue) -> DecodingFailure.Reason? {
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
