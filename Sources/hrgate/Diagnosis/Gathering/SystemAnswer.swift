import DBus

/// A call to a system service that may be absent.
enum SystemAnswer {
  /// - Returns: `nil` if the service does not respond.
  static func ask(_ call: MethodCall, _ bus: BusAddress, _ patience: Duration) async -> [DBusValue]? {
    guard let connection = try? await BusConnection.open(bus) else { return nil }
    let reply = try? await connection.call(call, timeout: patience)
    await connection.close()
    return reply?.body
  }
}
