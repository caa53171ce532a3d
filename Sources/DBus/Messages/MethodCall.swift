/// A method call to be sent.
public struct MethodCall: Sendable {
  /// The bus name of the callee; nil only on connections without a bus.
  public var destination: String?
  public var path: ObjectPath
  public var interface: String
  public var member: String
  public var body: [DBusValue]

  public init(
    destination: String?, path: ObjectPath, interface: String, member: String, body: [DBusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
  }
}

extension MethodCall {
  /// Does nothing but be answered (D-Bus specification, "org.freedesktop.DBus.Peer").
  var isPing: Bool { interface == StandardInterfaces.peer && member == "Ping" }

  /// A call to the bus itself.
  static func bus(_ member: String, _ body: [DBusValue] = []) -> MethodCall {
    MethodCall(
      destination: BusDaemon.name, path: BusDaemon.path, interface: BusDaemon.name, member: member, body: body
    )
  }
}

/// The message bus as an object of its own. D-Bus specification, "Message Bus Messages".
enum BusDaemon {
  static let name = "org.freedesktop.DBus"
  static let path: ObjectPath = "/org/freedesktop/DBus"
}
