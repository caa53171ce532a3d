import Foundation

/// One change in a transaction. Each entry is idempotent: if it is sent again, the server confirms it without
/// changing anything.
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

  /// Returns a POST that creates an Observation, unless one that matches the condition exists. In that case
  /// the server returns the existing one.
  static func create(_ observation: FHIR.Observation, _ uuid: UUID, _ condition: ObservationCondition) -> Self
  {
    TransactionEntry(
      fullUrl: FHIR.Identifier(uuid).value, resource: .observation(observation),
      request: Request(method: "POST", url: "Observation", ifNoneExist: condition.query(uuid)))
  }

  /// Returns a PUT that replaces the Observation that matches the condition, or creates one.
  static func update(_ observation: FHIR.Observation, _ uuid: UUID, _ condition: ObservationCondition) -> Self
  {
    TransactionEntry(
      resource: .observation(observation),
      request: Request(method: "PUT", url: "Observation?" + condition.query(uuid)))
  }

  /// Returns a PUT that replaces an Observation only if it still has the version that was found.
  static func update(_ observation: FHIR.Observation, over found: ResourceVersion) -> Self {
    var observation = observation
    observation.id = found.id
    return TransactionEntry(
      resource: .observation(observation),
      request: Request(
        method: "PUT", url: "Observation/" + found.id, ifMatch: found.tag))
  }

  /// Returns a POST that creates a Device, unless one with the identifier exists. In that case the server
  /// returns the existing one.
  static func create(_ device: FHIR.Device, _ identifier: FHIR.Identifier) -> Self {
    TransactionEntry(
      resource: .device(device),
      request: Request(method: "POST", url: "Device", ifNoneExist: "identifier=" + identifier.queryToken))
  }

  /// Returns a PUT that replaces the Device with the identifier, or creates one.
  static func update(_ device: FHIR.Device, _ identifier: FHIR.Identifier) -> Self {
    TransactionEntry(
      resource: .device(device),
      request: Request(method: "PUT", url: "Device?identifier=" + identifier.queryToken))
  }

  /// Returns a PUT that replaces a Device only if it still has the version that was found.
  static func update(_ device: FHIR.Device, over found: ResourceVersion) -> Self {
    var device = device
    device.id = found.id
    return TransactionEntry(
      resource: .device(device),
      request: Request(method: "PUT", url: "Device/" + found.id, ifMatch: found.tag))
  }
}

/// One encoded entry of a transaction.
struct TransactionChange: Sendable {
  let uuid: UUID
  let json: Data
  /// Whether the change is a PUT. An accepted PUT always writes, but an accepted POST does not if the
  /// resource exists.
  let isUpdate: Bool
  /// Whether the change applies only to a certain version of the resource.
  let isOfVersion: Bool
  /// Whether the change writes the ``MarkerDevice`` and not a sample. Its success does not show that the
  /// server accepts samples.
  let isMarker: Bool

  /// Encodes a transaction entry.
  ///
  /// - Throws: `EncodingError` for a number that JSON cannot represent.
  init(_ uuid: UUID, _ entry: TransactionEntry, isMarker: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.uuid = uuid
    json = try encoder.encode(entry)
    isUpdate = entry.request.method == "PUT"
    isOfVersion = entry.request.ifMatch != nil
    self.isMarker = isMarker
  }
}

/// The version of a resource on the server.
///
/// An update can name the version that it replaces, so that it does not overwrite a change that was made in
/// between.
struct ResourceVersion: Hashable, Sendable {
  let id: String
  let version: String

  /// Creates the version of a search result. Returns `nil` if the server reports no version or an invalid
  /// one.
  init?(_ found: SearchResponse.Found) {
    guard let id = found.id, let version = found.meta?.versionId, Self.isID(id), Self.isID(version) else {
      return nil
    }
    self.id = id
    self.version = version
  }

  /// The value of the If-Match header field.
  var tag: String { "W/\"\(version)\"" }

  /// Returns whether a text matches the FHIR R4 data type `id`.
  private static func isID(_ text: String) -> Bool { text.wholeMatch(of: #/[A-Za-z0-9.\-]{1,64}/#) != nil }
}
