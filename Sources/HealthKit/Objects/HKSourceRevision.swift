public import Foundation
import HealthStorage

/// One version of a source on one system.
public final class HKSourceRevision: NSObject, Sendable {
  public let source: HKSource
  public let version: String?
  public let productType: String?
  public let operatingSystemVersion: OperatingSystemVersion

  public init(
    source: HKSource, version: String?, productType: String?, operatingSystemVersion: OperatingSystemVersion
  ) {
    self.source = source
    self.version = version
    self.productType = productType
    self.operatingSystemVersion = operatingSystemVersion
  }

  /// On this system, of no stated product type.
  public convenience init(source: HKSource, version: String?) {
    self.init(
      source: source, version: version, productType: nil,
      operatingSystemVersion: ProcessInfo.processInfo.operatingSystemVersion)
  }

  convenience init(_ record: SourceRevisionRecord) {
    let numbers = record.operatingSystem.split(separator: ".").map { Int($0) ?? 0 } + [0, 0, 0]
    self.init(
      source: HKSource(record.source), version: record.version, productType: record.productType,
      operatingSystemVersion: OperatingSystemVersion(
        majorVersion: numbers[0], minorVersion: numbers[1], patchVersion: numbers[2]))
  }

  var record: SourceRevisionRecord {
    let system = operatingSystemVersion
    return SourceRevisionRecord(
      source: SourceRecord(bundleIdentifier: source.bundleIdentifier, name: source.name), version: version,
      productType: productType,
      operatingSystem: "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)")
  }

  public override func isEqual(_ object: Any?) -> Bool { (object as? HKSourceRevision)?.record == record }
  public override var hash: Int { record.hashValue }
}
