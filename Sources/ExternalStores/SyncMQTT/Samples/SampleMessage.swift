internal import Foundation
internal import HealthDataSync
internal import HealthKit

/// The JSON message with a sample. The keys are those of `hrgate samples --json`, plus the person and the
/// gateway, and are stable. Values that a sample does not have are absent.
struct SampleMessage: Encodable {
  private let line: SampleLine
  private let series: [SampleLine.Quantity]?
  private let identity: ExternalIdentity

  init(_ record: ExternalRecord, _ identity: ExternalIdentity) {
    var line = SampleLine(record)
    // In this message, the quantities of a series have the key `series`.
    series = line.quantities
    line.quantities = nil
    self.line = line
    self.identity = identity
  }

  private enum Key: CodingKey {
    case series, person, gateway, gatewayID
  }

  func encode(to encoder: any Encoder) throws {
    try line.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeIfPresent(series, forKey: .series)
    try container.encode(identity.person, forKey: .person)
    try container.encode(identity.gateway, forKey: .gateway)
    try container.encodeIfPresent(identity.gatewayID, forKey: .gatewayID)
  }
}

/// The JSON message with a deletion. It has only what the health store keeps of a deleted sample.
struct DeletionMessage: Encodable {
  var uuid: String
  var type: String
  let deleted = true
  var person: String
  var gateway: String
  var gatewayID: String?

  init(_ object: HKDeletedObject, type: HKSampleType, _ identity: ExternalIdentity) {
    uuid = object.uuid.uuidString
    self.type = type.identifier
    person = identity.person
    gateway = identity.gateway
    gatewayID = identity.gatewayID
  }
}

/// The topics of samples, `BASE/PERSON/SOURCE/TYPE`, and of deletions, `BASE/PERSON/deleted/TYPE`.
struct SampleTopics: Sendable {
  private let person: String

  init(_ address: MQTTAddress, _ identity: ExternalIdentity) {
    person = "\(address.base)/\(TopicLevel.escaped(identity.person))"
  }

  /// Returns the topic of a sample.
  ///
  /// - Parameter source: The bundle identifier, which does not change when a source is renamed.
  func sample(type: String, source: String) -> String {
    // Escape a source named "deleted", because that level is reserved for deletions.
    let level = source == "deleted" ? "%64eleted" : TopicLevel.escaped(source)
    return "\(person)/\(level)/\(TopicLevel.escaped(type))"
  }

  func deletion(type: String) -> String { "\(person)/deleted/\(TopicLevel.escaped(type))" }
}
