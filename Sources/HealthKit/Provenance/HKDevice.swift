public import Foundation
import HealthStorage

/// The device that measured a sample. Two devices are equal if all eight fields are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKDevice: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  let record: DeviceRecord

  init(_ record: DeviceRecord) {
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
    return HKDevice(
      name: ProcessInfo.processInfo.hostName, manufacturer: nil, model: nil, hardwareVersion: nil,
      firmwareVersion: nil,
      softwareVersion: "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)",
      localIdentifier: nil, udiDeviceIdentifier: nil)
  }()

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKDevice)?.record == record }
  open override var hash: Int { record.hashValue }

  open override var description: String {
    let fields = Self.properties.compactMap { label, property in
      self.record[keyPath: property].map { "\(label):\($0)" }
    }
    return "<HKDevice " + fields.joined(separator: ", ") + ">"
  }

  private static let properties: [(String, any KeyPath<DeviceRecord, String?> & Sendable)] = [
    ("name", \.name), ("manufacturer", \.manufacturer), ("model", \.model), ("hardware", \.hardwareVersion),
    ("firmware", \.firmwareVersion), ("software", \.softwareVersion),
    ("localIdentifier", \.localIdentifier), ("udiDeviceIdentifier", \.udiDeviceIdentifier),
  ]

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    for (label, property) in Self.properties {
      coder.encode(record[keyPath: property] as NSString?, forKey: label)
    }
  }

  public required init?(coder: NSCoder) {
    var record = DeviceRecord()
    record.name = coder.text(forKey: "name")
    record.manufacturer = coder.text(forKey: "manufacturer")
    record.model = coder.text(forKey: "model")
    record.hardwareVersion = coder.text(forKey: "hardware") ?? coder.text(forKey: "hardwareVersion")
    record.firmwareVersion = coder.text(forKey: "firmware") ?? coder.text(forKey: "firmwareVersion")
    record.softwareVersion = coder.text(forKey: "software") ?? coder.text(forKey: "softwareVersion")
    record.localIdentifier = coder.text(forKey: "localIdentifier")
    record.udiDeviceIdentifier = coder.text(forKey: "udiDeviceIdentifier")
    self.record = record
  }
}
