import DBus

/// The remedy for a bus that runs but rejects this user.
enum BusRefusal {
  /// The bus accepts users of the system. A user in a container or user namespace has a different ID outside.
  static let remedy =
    "Run hrgate as a user of the system (getent passwd), not in a container that maps user IDs"
}

extension BusError {
  /// Whether the bus could be reached but rejected this user. Only for errors of opening a bus.
  var refusesUser: Bool { name == .authenticationFailed || name == .accessDenied }
}
