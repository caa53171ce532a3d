public import Foundation
import HealthStorage

/// What measured. Two devices are equal if all eight fields are.
public final class HKDevice: NSObject, Sendable {
  let record: DeviceRecord

  init(_ record: DeviceRecord) {
    self.record = record
  }

  /// - Parameters:
  ///   - localIdentifier: for a Bluetooth peripheral the identifier that this host gave it; means nothing elsewhere.
  ///   - udiDeviceIdentifier: the device-identifier part of an FDA UDI, never the production identifier.
  public init(
    name: String?, manufacturer: String?, model: String?, hardwareVersion: String?, firmwareVersion: String?,
    softwareVersion: String?, localIdentifier: String?, udiDeviceIdentifier: String?
  ) {
    var record = DeviceRecord()
    record.name = name
    record.manufacturer = manufacturer
    record.model = model
    record.hardwareVersion = hardwareVersion
    record.firmwareVersion = firmwareVersion
    record.softwareVersion = softwareVersion
    record.localIdentifier = localIdentifier
    record.udiDeviceIdentifier = udiDeviceIdentifier
    self.record = record
  }

  /// The user-facing name.
  public var name: String? { record.name }
  public var manufacturer: String? { record.manufacturer }
  public var model: String? { record.model }
  public var hardwareVersion: String? { record.hardwareVersion }
  public var firmwareVersion: String? { record.firmwareVersion }
  public var softwareVersion: String? { record.softwareVersion }
  public var localIdentifier: String? { record.localIdentifier }
  public var udiDeviceIdentifier: String? { record.udiDeviceIdentifier }

  public override func isEqual(_ object: Any?) -> Bool { (object as? HKDevice)?.record == record }
  public override var hash: Int { record.hashValue }
}
