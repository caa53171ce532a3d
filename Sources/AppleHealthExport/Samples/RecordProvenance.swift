import Foundation
import HealthKit

/// Creates the source revisions and devices of an export's records, and caches them.
struct RecordProvenance {
  private struct RevisionKey: Hashable {
    var source: String
    var version: String?
    var bundleIdentifier: String?
    var productType: String?
    var operatingSystem: String?
  }

  private var revisions: [RevisionKey: HKSourceRevision] = [:]
  private var devices: [String: HKDevice?] = [:]
  private var devicesByValue: [HKDevice: HKDevice] = [:]
  /// Maximum number of cached entries. No person uses that many phones, watches and apps.
  private static let capacity = 10_000

  /// Returns the source revision of a record. Exports by hrgate contain the bundle identifier, product type
  /// and system version; those by Apple do not.
  mutating func revision(source: String, version: String?, _ exactness: Exactness) -> HKSourceRevision {
    let key = RevisionKey(
      source: source, version: exactness.sourceVersion ?? version,
      bundleIdentifier: exactness.bundleIdentifier, productType: exactness.productType,
      operatingSystem: exactness.operatingSystem)
    if let known = revisions[key] { return known }
    let revision = HKSourceRevision(
      source: HKSource(
        name: source,
        bundleIdentifier: key.bundleIdentifier ?? RecordIdentity.bundleIdentifier(ofSource: source)),
      version: key.version, productType: key.productType,
      operatingSystemVersion: key.operatingSystem.map(OperatingSystemVersion.init(text:))
        ?? OperatingSystemVersion())
    if revisions.count >= Self.capacity { revisions = [:] }
    revisions[key] = revision
    return revision
  }

  /// Returns the device that a text describes. A device may have several texts, because each one contains a
  /// memory address from the phone.
  mutating func device(_ text: String) -> HKDevice? {
    if let known = devices[text] { return known }
    let parsed = DeviceText.parse(text)
    if devices.count >= Self.capacity { devices = [:] }
    if devicesByValue.count >= Self.capacity { devicesByValue = [:] }
    let device = parsed.map { parsed in
      if let known = devicesByValue[parsed] { return known }
      devicesByValue[parsed] = parsed
      return parsed
    }
    devices[text] = .some(device)
    return device
  }
}
