import DBus

/// A call to a system service that may be absent.
enum SystemReply {
  /// - Returns: `nil` if the service does not respond.
  static func ask(_ call: MethodCall, _ bus: BusAddress, _ timeout: Duration) async -> [DBusValue]? {
    guard let connection = try? await BusConnection.open(bus) else { return nil }
    let reply = try? await connection.call(call, timeout: timeout)
    await connection.close()
    return reply?.body
  }
}
