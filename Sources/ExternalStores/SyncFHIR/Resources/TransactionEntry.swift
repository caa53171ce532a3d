import Foundation

/// An entry of a transaction: one change. Each is idempotent: a server that took it already answers so, and
/// changes nothing.
struct TransactionEntry: Encodable, Sendable {
  struct Request: Encodable, Sendable {
    var method: String
    var url: String
    var ifNoneExist: String?
    var ifMatch: String?
  }

  enum Resource: Encodable, Sendable {
    case observation(FHIR.Observation)
    case device(FHIR.Device)

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .observation(let observation): try observation.encode(to: encoder)
      case .device(let device): try device.encode(to: encoder)
      }
    }
  }

  var fullUrl: String?
  var resource: Resource?
  var request: Request

  /// A POST that the server answers with what it has, where it has an Observation of the condition.
  static func create(_ observation: FHIR.Observation, _ uuid: UUID, _ condition: ObservationCondition) -> Self
  {
    TransactionEntry(
      fullUrl: FHIR.Identifier(uuid).value, resource: .observation(observation),
      request: Request(method: "POST", url: "Observation", ifNoneExist: condition.query(uuid)))
  }

  /// A PUT in the place of the Observation of the condition, or of a new one.
  static func update(_ observation: FHIR.Observation, _ uuid: UUID, _ condition: ObservationCondition) -> Self
  {
    TransactionEntry(
      resource: .observation(observation),
      request: Request(method: "PUT", url: "Observation?" + condition.query(uuid)))
  }

  /// A PUT in the place of an Observation as it was found, and of no later version.
  static func update(_ observation: FHIR.Observation, over found: ResourceVersion) -> Self {
    var observation = observation
    observation.id = found.id
    return TransactionEntry(
      resource: .observation(observation),
      request: Request(
        method: "PUT", url: "Observation/" + found.id, ifMatch: found.tag))
  }

  /// A POST that the server answers with what it has, where it has a Device of this identifier.
  static func create(_ device: FHIR.Device, _ identifier: FHIR.Identifier) -> Self {
    TransactionEntry(
      resource: .device(device),
      request: Request(method: "POST", url: "Device", ifNoneExist: "identifier=" + identifier.queryToken))
  }

  /// A PUT in the place of the Device of this identifier, or of a new one.
  static func update(_ device: FHIR.Device, _ identifier: FHIR.Identifier) -> Self {
    TransactionEntry(
      resource: .device(device),
      request: Request(method: "PUT", url: "Device?identifier=" + identifier.queryToken))
  }

  /// A PUT in the place of a Device as it was found, and of no later version.
  static func update(_ device: FHIR.Device, over found: ResourceVersion) -> Self {
    var device = device
    device.id = found.id
    return TransactionEntry(
      resource: .device(device),
      request: Request(method: "PUT", url: "Device/" + found.id, ifMatch: found.tag))
  }
}
