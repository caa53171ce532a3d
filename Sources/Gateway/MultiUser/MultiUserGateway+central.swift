extension MultiUserGateway {
  /// Creates a gateway for a single store and for a central other than bluetoothd's.
  /// - Parameters:
  ///   - person: The person to whom the store belongs; `nil` for the user of this account.
  ///   - central: Creates the central. Called only once.
  ///   - openOwners: Opens the store, on a thread of its own.
  package convenience init(
    person: String? = nil, policy: LivePolicy = LivePolicy(),
    accompany: @escaping Accompanying = { try await $1() },
    central: @escaping @Sendable (FollowingTerms) async throws -> any FollowingCentral,
    openOwners: @escaping @Sendable () throws -> MonitorRegistry
  ) {
    self.init(
      person: person, people: nil, policy: policy, accompany: accompany, openOwners: openOwners,
      make: central)
  }
}
