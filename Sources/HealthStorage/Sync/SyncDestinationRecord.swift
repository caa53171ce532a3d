/// A destination of the sync. Times are microseconds since 1970.
package struct SyncDestinationRecord: Hashable, Sendable {
  /// An error that stops the sync.
  package struct Failure: Hashable, Sendable {
    package var text: String
    package var since: Int64
    /// Whether the user has to act before the sync can continue.
    package var lasts: Bool

    package init(text: String, since: Int64, lasts: Bool) {
      self.text = text
      self.since = since
      self.lasts = lasts
    }
  }

  /// 0 before it is stored.
  package var id: Int64 = 0
  package var name: String
  package var address: String
  /// Type identifiers; nil for all.
  package var types: [String]?
  /// Identifiers of types that are not sent.
  package var excludedTypes: [String] = []
  /// Bundle identifiers; nil for all.
  package var sources: [String]?
  /// Samples that start earlier are not sent.
  package var earliest: Int64?
  package var person: String
  package var gateway: String
  /// The random identity of the store that contains the destination; nil before it is stored.
  package var storeIdentity: String?
  package var secretFile: String?
  package var added: Int64
  package var lastSuccess: Int64?
  /// nil if the last attempt succeeded.
  package var failure: Failure?
  /// Why a running gateway cannot publish its live state there; nil if it can, or if there is no live state.
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
