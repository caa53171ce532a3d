internal import Glibc

/// Which bus.
public enum BusAddress: Hashable, Sendable {
  /// The machine's bus: `DBUS_SYSTEM_BUS_ADDRESS` where set, else the well-known socket.
  case system
  /// The user's bus: `DBUS_SESSION_BUS_ADDRESS` where set, else `$XDG_RUNTIME_DIR/bus`. Never starts one.
  case session
  /// In the notation of the specification, "Server Addresses": `unix:path=/run/dbus/system_bus_socket`.
  case address(String)

  /// The address as text.
  ///
  /// - Throws: `BusError` with `.badAddress` for no text, with `.noServer` where the
  ///   environment names no session bus.
  func text() throws(BusError) -> String {
    let text =
      switch self {
      case .system: Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
      case .session: try Self.sessionAddress()
      case .address(let text): text
      }
    guard !text.isEmpty, !text.utf8.contains(0) else { throw BusError(.badAddress, "no bus address") }
    return text
  }

  private static func sessionAddress() throws(BusError) -> String {
    if let address = environment("DBUS_SESSION_BUS_ADDRESS") { return address }
    guard let folder = environment("XDG_RUNTIME_DIR") else {
      throw BusError(.noServer, "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
    }
    return "unix:path=\(escaped("\(folder)/bus"))"
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }

  /// A path inside of an address: what is not of `[-0-9A-Za-z_/.]` is `%` and two digits.
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      if NameCharacters.isWord(byte) || "-/.".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }
}
