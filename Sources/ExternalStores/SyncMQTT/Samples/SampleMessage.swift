internal import Foundation
internal import HealthDataSync
internal import HealthKit

/// What is published of a sample: the names are those of `hrgate samples --json`, and a promise; what a
/// sample does not have is absent. Beside them stands whose it is.
struct SampleMessage: Encodable {
  private let line: SampleLine
  private let series: [SampleLine.Quantity]?
  private let identity: ExternalIdentity

  init(_ record: ExternalRecord, _ identity: ExternalIdentity) {
    var line = SampleLine(record)
    // Under another name here.
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

/// What is published of a sample that was deleted. The store knows no more of it.
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
