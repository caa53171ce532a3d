import DBus

/// A bus that is there and does not take us.
enum BusRefusal {
  /// The system's own users are taken. One of a container, or of a user namespace, has another number
  /// outside.
  static let remedy =
    "Run hrgate as a user whom the system knows (getent passwd), not in a container that gives users other "
    + "numbers"
}

extension BusError {
  /// Of a bus that could not be opened: it is there, and does not take this user.
  var refusesUser: Bool { name == .authenticationFailed || name == .accessDenied }
}
