public import Foundation
import HealthFormats
import HealthStorage

/// A version of a source on a certain operating system version.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKSourceRevision: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// The program or device.
  public let source: HKSource
  /// The version of the program, or nil if unknown.
  public let version: String?
  /// The model of the device, or nil if unknown.
  public let productType: String?
  /// The operating system version of the device.
  public let operatingSystemVersion: OperatingSystemVersion

  public init(
    source: HKSource, version: String?, productType: String?, operatingSystemVersion: OperatingSystemVersion
  ) {
    self.source = source
    self.version = version
    self.productType = productType
    self.operatingSystemVersion = operatingSystemVersion
  }

  /// Creates a revision on this system, without a product type.
  public convenience init(source: HKSource, version: String?) {
    self.init(
      source: source, version: version, productType: nil,
      operatingSystemVersion: Self.thisSystem)
  }

  /// The version of this operating system. It is read once, because it does not change while a process runs.
  private static let thisSystem = ProcessInfo.processInfo.operatingSystemVersion

  /// The revision of an object that has not been saved yet.
  static let unknown = HKSourceRevision(
    source: HKSource(name: "", bundleIdentifier: ""), version: nil, productType: nil,
    operatingSystemVersion: OperatingSystemVersion())

  convenience init(_ record: SourceRevisionRecord) {
    self.init(
      source: HKSource(record.source), version: record.version, productType: record.productType,
      operatingSystemVersion: OperatingSystemVersion(text: record.operatingSystem))
  }

  var record: SourceRevisionRecord {
    SourceRevisionRecord(
      source: SourceRecord(bundleIdentifier: source.bundleIdentifier, name: source.name), version: version,
      productType: productType, operatingSystem: operatingSystemVersion.text)
  }

  open override func isEqual(_ object: Any?) -> Bool { (object as? HKSourceRevision)?.record == record }
  open override var hash: Int { record.hashValue }

  open override var description: String {
    let version = version ?? "(null)"
    let product = productType ?? "(null)"
    return "<HKSourceRevision name:\(source.name), bundle:\(source.bundleIdentifier), version:\(version), "
      + "productType:\(product), operatingSystemVersion:\(operatingSystemVersion.text)>"
  }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(source, forKey: ArchiveKey.source)
    coder.encode(version as NSString?, forKey: ArchiveKey.version)
    coder.encode(productType as NSString?, forKey: ArchiveKey.productType)
    coder.encode(operatingSystemVersion.text as NSString, forKey: ArchiveKey.operatingSystem)
  }

  /// Decodes a revision. Apple does not publish the keys of its archives. In them, the source is the only
  /// object of its class, strings are found by words in their keys, and the operating system version consists
  /// of three integers. This module writes the version as a string.
  public required init?(coder: NSCoder) {
    let key = (coder as? SecureUnarchiver)?.keys(ofClass: HKSource.self).first ?? ArchiveKey.source
    guard let source = coder.object(HKSource.self, forKey: key) else { return nil }
    self.source = source
    version = coder.text(forKey: ArchiveKey.version) {
      $0.contains("version") && !$0.contains("system") && !$0.hasPrefix("os")
    }
    productType = coder.text(forKey: ArchiveKey.productType) { $0.contains("product") }
    let system = coder.text(forKey: ArchiveKey.operatingSystem) {
      $0.contains("system") || $0.hasPrefix("os")
    }
    operatingSystemVersion =
      system.map(OperatingSystemVersion.init(text:))
      ?? (coder as? SecureUnarchiver).flatMap { OperatingSystemVersion(integers: $0.integers) }
      ?? OperatingSystemVersion()
  }

  private enum ArchiveKey {
    static let source = "source"
    static let version = "version"
    static let productType = "productType"
    static let operatingSystem = "operatingSystemVersion"
  }
}

extension OperatingSystemVersion {
  /// Creates a version from up to three numbers with periods between them. Missing numbers are 0.
  package init(text: String) {
    let numbers = text.split(separator: ".").map { Int($0) ?? 0 } + [0, 0, 0]
    self.init(majorVersion: numbers[0], minorVersion: numbers[1], patchVersion: numbers[2])
  }

  /// Creates a version from the three integers in Apple's archives. They are found by the words major, minor
  /// and patch in their keys. If that fails, they are taken in alphabetical order of the keys, which is also
  /// the order of the three words.
  fileprivate init?(integers: [String: Int]) {
    func number(_ word: String) -> Int? { integers.first { $0.key.lowercased().contains(word) }?.value }
    if let major = number("major") {
      self.init(
        majorVersion: major, minorVersion: number("minor") ?? 0, patchVersion: number("patch") ?? 0)
      return
    }
    let numbers = integers.sorted { $0.key < $1.key }.map(\.value)
    guard numbers.count == 3 else { return nil }
    self.init(majorVersion: numbers[0], minorVersion: numbers[1], patchVersion: numbers[2])
  }

  /// The version as three numbers with periods between them.
  package var text: String { "\(majorVersion).\(minorVersion).\(patchVersion)" }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Matches any operating system version in a predicate. Apple does not publish its value; no system has this
/// version.
public let HKSourceRevisionAnyOperatingSystem = OperatingSystemVersion(
  majorVersion: -1, minorVersion: -1, patchVersion: -1)
