/// An entry of a transaction: one change. Each is idempotent: a server that took it already answers so, and
/// changes nothing.
struct TransactionEntry: Encodable, Sendable {
  struct Request: Encodable, Sendable {
    var method: String
    var url: String
    var ifNoneExist: String?
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

  /// A POST that the server answers with what it has, where it has an Observation of this identifier.
  static func create(_ observation: FHIR.Observation, _ identifier: FHIR.Identifier) -> TransactionEntry {
    TransactionEntry(
      fullUrl: identifier.value, resource: .observation(observation),
      request: Request(method: "POST", url: "Observation", ifNoneExist: "identifier=" + identifier.token))
  }

  /// A DELETE of whatever has this identifier, which may be nothing.
  static func delete(_ identifier: FHIR.Identifier) -> TransactionEntry {
    TransactionEntry(
      request: Request(method: "DELETE", url: "Observation?identifier=" + identifier.token))
  }

  /// A PUT in the place of the Device of this identifier, or of a new one.
  static func update(_ device: FHIR.Device, _ identifier: FHIR.Identifier) -> TransactionEntry {
    TransactionEntry(
      resource: .device(device),
      request: Request(method: "PUT", url: "Device?identifier=" + identifier.token))
  }
}
