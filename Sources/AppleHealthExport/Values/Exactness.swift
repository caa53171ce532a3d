import Foundation
import HealthKit
import HealthStorage

/// What the form of an export leaves out of a sample: its UUID, the fractions of its seconds, who saved it by
/// its bundle identifier and on which system, what its metadata is beside text, beats to the bit, and names
/// with characters that XML does not have.
///
/// It stands in a metadata entry, which Apple's document type allows, with a key of our own: other programs
/// read the rest as ever. What can be told without is not in it.
struct Exactness: Hashable {
  static let key = "org.hrgate.sample"

  var uuid: UUID?
  /// Microseconds after the whole second.
  var start: Int64 = 0
  var end: Int64 = 0
  var bundleIdentifier: String?
  var sourceName: String?
  var sourceVersion: String?
  var productType: String?
  /// Three numbers with points.
  var operatingSystem: String?
  var device: HKDevice?
  /// Seconds since the start; one with a gap before it after a `|`.
  var beats: [Heartbeat]?
  var metadata: [String: MetadataValue] = [:]

  var isEmpty: Bool { self == Exactness() }

  /// Takes up what an element's attributes would not say of who recorded a sample and with what.
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
