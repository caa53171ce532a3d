/// Where changes are carried to. Times are microseconds since 1970.
package struct SyncDestinationRecord: Hashable, Sendable {
  /// Why a destination cannot go on.
  package struct Failure: Hashable, Sendable {
    package var text: String
    package var since: Int64
    /// Somebody has to act first.
    package var lasts: Bool

    package init(text: String, since: Int64, lasts: Bool) {
      self.text = text
      self.since = since
      self.lasts = lasts
    }
  }

  /// 0 until it is stored.
  package var id: Int64 = 0
  package var name: String
  package var address: String
  /// Identifiers; nil for all.
  package var types: [String]?
  /// Identifiers of types that do not go there.
  package var excludedTypes: [String] = []
  /// Bundle identifiers; nil for all.
  package var sources: [String]?
  /// No sample that starts before it goes there.
  package var earliest: Int64?
  package var person: String
  package var gateway: String
  /// The random name of the store that it is kept in; nil until it is stored.
  package var storeIdentity: String?
  package var secretFile: String?
  package var added: Int64
  package var lastSuccess: Int64?
  /// nil if the last attempt succeeded.
  package var failure: Failure?
  /// Why a running gateway cannot publish its live state there; nil if it can, or has none to publish.
  package var liveFailure: Failure?

  package init(
    name: String, address: String, types: [String]? = nil, excludedTypes: [String] = [],
    sources: [String]? = nil, earliest: Int64? = nil, person: String, gateway: String,
    secretFile: String? = nil, added: Int64
  ) {
    self.name = name
    self.address = address
    self.types = types
    self.excludedTypes = excludedTypes
    self.sources = sources
    self.earliest = earliest
    self.person = person
    self.gateway = gateway
    self.secretFile = secretFile
    self.added = added
  }
}
