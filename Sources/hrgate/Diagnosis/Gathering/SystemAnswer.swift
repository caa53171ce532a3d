import DBus

/// One question to a service of the system, which may not be there.
enum SystemAnswer {
  /// - Returns: `nil` where there is no answer.
  static func ask(_ call: MethodCall, _ bus: BusAddress, _ patience: Duration) async -> [DBusValue]? {
    guard let connection = try? await BusConnection.open(bus) else { return nil }
    let reply = try? await connection.call(call, timeout: patience)
    await connection.close()
    return reply?.body
  }
}
