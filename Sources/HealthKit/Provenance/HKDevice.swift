public import Foundation
package import HealthStorage

/// The device that measured a sample. Two devices are equal if all eight fields are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKDevice: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  package let record: DeviceRecord

  package init(_ record: DeviceRecord) {
    self.record = record
  }

  /// Creates a device.
  /// - Parameters:
  ///   - localIdentifier: The identifier that this host assigned to a Bluetooth peripheral. It has no meaning
  ///     on other hosts.
  ///   - udiDeviceIdentifier: The device identifier part of an FDA UDI, never the production identifier.
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

  /// The name to show to the user.
  public var name: String? { record.name }
  public var manufacturer: String? { record.manufacturer }
  public var model: String? { record.model }
  public var hardwareVersion: String? { record.hardwareVersion }
  public var firmwareVersion: String? { record.firmwareVersion }
  public var softwareVersion: String? { record.softwareVersion }
  /// The identifier that this host assigned to a Bluetooth peripheral.
  public var localIdentifier: String? { record.localIdentifier }
  /// The device identifier part of an FDA UDI.
  public var udiDeviceIdentifier: String? { record.udiDeviceIdentifier }

  /// Returns the device that this program runs on, with the host's name and its operating system version.
  public class func local() -> HKDevice { thisHost }

  private static let thisHost: HKDevice = {
    let system = ProcessInfo.processInfo.operatingSystemVersion
    let version = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    return HKDevice(
      DeviceRecord([.name: ProcessInfo.processInfo.hostName, .softwareVersion: version]))
  }()

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKDevice)?.record == record }
  open override var hash: Int { record.hashValue }

  open override var description: String {
    let fields = Self.properties.compactMap { property in
      self.record[property.field].map { "\(property.label):\($0)" }
    }
    return "<HKDevice " + fields.joined(separator: ", ") + ">"
  }

  /// The properties that are set, by name.
  package var values: [String: String] {
    Self.properties.reduce(into: [:]) { $0["\($1.field)"] = record[$1.field] }
  }

  /// The properties, each with its label in descriptions and archives, and its key in predicates.
  package static let properties: [(field: DeviceRecord.Field, label: String, key: String)] = [
    (.name, "name", HKDevicePropertyKeyName),
    (.manufacturer, "manufacturer", HKDevicePropertyKeyManufacturer),
    (.model, "model", HKDevicePropertyKeyModel),
    (.hardwareVersion, "hardware", HKDevicePropertyKeyHardwareVersion),
    (.firmwareVersion, "firmware", HKDevicePropertyKeyFirmwareVersion),
    (.softwareVersion, "software", HKDevicePropertyKeySoftwareVersion),
    (.localIdentifier, "localIdentifier", HKDevicePropertyKeyLocalIdentifier),
    (.udiDeviceIdentifier, "udiDeviceIdentifier", HKDevicePropertyKeyUDIDeviceIdentifier),
  ]

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    for property in Self.properties {
      coder.encode(record[property.field] as NSString?, forKey: property.label)
    }
  }

  public required init?(coder: NSCoder) {
    var record = DeviceRecord()
    for property in Self.properties {
      // Some archives have the property's name instead of the label, such as `hardwareVersion`.
      record[property.field] =
        coder.text(forKey: property.label) ?? coder.text(forKey: "\(property.field)")
    }
    self.record = record
  }
}
