/// A destination to which samples are synced. Times are microseconds since 1970.
package struct SyncDestinationRecord: Hashable, Sendable {
  /// An error that prevents sending.
  package struct Failure: Hashable, Sendable {
    package var text: String
    package var since: Int64
    /// Whether the sync cannot continue until the user does something.
    package var lasts: Bool

    package init(text: String, since: Int64, lasts: Bool) {
      self.text = text
      self.since = since
      self.lasts = lasts
    }
  }

  /// The ID of the row; 0 before it is stored.
  package var id: Int64 = 0
  package var name: String
  package var address: String
  /// The identifiers of the types that are sent; `nil` for all.
  package var types: [String]?
  /// The identifiers of types that are not sent.
  package var excludedTypes: [String] = []
  /// The bundle identifiers of the sources whose samples are sent; `nil` for all.
  package var sources: [String]?
  /// Samples that start before this time are not sent; `nil` to send all.
  package var earliest: Int64?
  package var person: String
  package var gateway: String
  /// The random ID of the store that contains the destination; `nil` before it is stored.
  package var storeIdentity: String?
  package var secretFile: String?
  package var added: Int64
  package var lastSuccess: Int64?
  /// The error of the last attempt; `nil` if it succeeded.
  package var failure: Failure?
  /// The reason why a running gateway cannot publish live measurements at the destination; `nil` if it can,
  /// or if it publishes none.
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
