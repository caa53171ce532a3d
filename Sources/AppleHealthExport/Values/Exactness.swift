import Foundation
import HealthKit
import HealthStorage

/// The parts of a sample that Apple's export format cannot express: its UUID, fractions of seconds, the
/// source's bundle identifier and system, metadata that is not text, exact beats, and names with characters
/// that XML does not allow.
///
/// They are written to a metadata entry with hrgate's own key, which Apple's document type allows and other
/// programs ignore. Values that can be derived are left out.
struct Exactness: Hashable {
  static let key = "org.hrgate.sample"

  var uuid: UUID?
  /// The microseconds of the start and end that exceed whole seconds.
  var start: Int64 = 0
  var end: Int64 = 0
  var bundleIdentifier: String?
  var sourceName: String?
  var sourceVersion: String?
  var productType: String?
  /// The operating system version: three numbers separated by dots.
  var operatingSystem: String?
  var device: HKDevice?
  /// The beats in seconds since the start. In the text form, `|` precedes a beat after a gap.
  var beats: [Heartbeat]?
  var metadata: [String: MetadataValue] = [:]

  var isEmpty: Bool { self == Exactness() }

  /// Records those parts of a sample's source and device that Apple's attributes cannot express.
  mutating func takeOrigin(of sample: HKSample, _ derivedIdentifier: (String) -> String) {
    let (revision, source) = (sample.sourceRevision, sample.sourceRevision.source)
    if derivedIdentifier(source.name) != source.bundleIdentifier {
      bundleIdentifier = source.bundleIdentifier
    }
    if !AttributeText.isStatable(source.name) { sourceName = source.name }
    if let version = revision.version, !AttributeText.isStatable(version) { sourceVersion = version }
    productType = revision.productType
    let system = revision.operatingSystemVersion.text
    if system != OperatingSystemVersion().text { operatingSystem = system }
    if let device = sample.device {
      let text = DeviceText.text(device)
      if !AttributeText.isStatable(text) || DeviceText.parse(text) != device { self.device = device }
    }
  }
}
