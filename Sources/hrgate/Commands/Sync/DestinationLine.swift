import HealthDataSync

/// A destination as `hrgate sync list` prints it.
struct DestinationLine: Encodable {
  var name: String
  var kind: String
  var address: String
  /// Short names of the types to send, sorted; absent if all types are sent.
  var types: [String]?
  /// Short names of the types not to send, sorted; absent if there are none.
  var excludedTypes: [String]?
  /// Bundle identifiers of the sources to send; absent if all sources are sent.
  var sources: [String]?
  /// Earliest start of the samples to send; absent if there is no limit.
  var from: String?
  var person: String
  var gateway: String
  /// Distinguishes gateways with the same name.
  var gatewayID: String?
  var secretFile: String?

  init(_ destination: SyncDestination) {
    name = destination.name
    kind = destination.kind
    address = destination.address
    types = destination.types?.map(TypeArgument.shortName).sorted()
    if !destination.excludedTypes.isEmpty {
      excludedTypes = destination.excludedTypes.map(TypeArgument.shortName).sorted()
    }
    sources = destination.sources?.sorted()
    from = destination.from.map(Timestamp.text)
    person = destination.identity.person
    gateway = destination.identity.gateway
    gatewayID = destination.identity.gatewayID
    secretFile = destination.secretFile
  }

  private static let header = ["NAME", "ADDRESS", "TYPES", "SOURCES", "FROM", "PERSON", "GATEWAY"]

  /// Returns the destinations as a table, header first.
  static func table(_ destinations: [DestinationLine]) -> [String] {
    TextTable.lines(
      [header]
        + destinations.map {
          [
            $0.name, $0.address.plain,
            $0.types?.joined(separator: ", ") ?? "all"
              + ($0.excludedTypes.map { " except \($0.joined(separator: ", "))" } ?? ""),
            $0.sources?.joined(separator: ", ").plain ?? "all", $0.from ?? "the beginning", $0.person.plain,
            $0.gateway.plain,
          ]
        })
  }
}
