internal import CDBus
internal import Glibc

/// The address of a message bus.
public enum BusAddress: Hashable, Sendable {
  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` if set, or the default socket.
  case system
  /// The session bus: `DBUS_SESSION_BUS_ADDRESS` if set, or `$XDG_RUNTIME_DIR/bus`. Never starts a bus.
  case session
  /// One or more D-Bus addresses, tried in order, such as `unix:path=/run/dbus/system_bus_socket` (D-Bus
  /// specification, "Server Addresses").
  case address(String)

  /// Returns the address in the format of the D-Bus specification.
  ///
  /// - Throws: `BusError` with `.badAddress` for an empty text, with `.noServer` if the environment does not
  ///   define a session bus.
  func text() throws(BusError) -> String {
    let text =
      switch self {
      case .system: Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
      case .session: try Self.sessionAddress()
      case .address(let text): text
      }
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw BusError(.badAddress, "the bus address is empty or contains U+0000")
    }
    return text
  }

  private static func sessionAddress() throws(BusError) -> String {
    if let address = environment("DBUS_SESSION_BUS_ADDRESS") { return address }
    guard let folder = environment("XDG_RUNTIME_DIR") else {
      throw BusError(
        .noServer, "there is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
    }
    return "unix:path=\(escaped("\(folder)/bus"))"
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }

  /// Escapes a path so that it can be part of an address.
  private static func escaped(_ path: String) -> String {
    guard let text = dbus_address_escape_value(path) else { return path }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
