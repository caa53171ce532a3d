/// A method call to send.
public struct MethodCall: Sendable {
  /// The bus name of the called program. `nil` only on connections without a bus.
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
  /// Whether the call is a ping, which has no effect other than its reply (D-Bus specification,
  /// "org.freedesktop.DBus.Peer").
  var isPing: Bool { interface == StandardInterfaces.peer && member == "Ping" }

  /// Creates a call to the bus daemon itself.
  static func bus(_ member: String, _ body: [DBusValue] = []) -> MethodCall {
    MethodCall(
      destination: BusDaemon.name, path: BusDaemon.path, interface: BusDaemon.name, member: member, body: body
    )
  }
}

/// The object of the bus daemon itself (D-Bus specification, "Message Bus Messages").
enum BusDaemon {
  static let name = "org.freedesktop.DBus"
  static let path: ObjectPath = "/org/freedesktop/DBus"
}

/// The reply to a method call.
public struct Reply: Sendable {
  public var body: [DBusValue]
  public var arrival: Arrival
  /// The unique name of the replying program.
  public var sender: String?
}

/// A received signal or method call. The body of a method call has the signature declared by the method.
public struct BusMessage: Sendable {
  /// The unique name of the sender, even if the match rule uses a well-known name.
  public var sender: String?
  public var path: ObjectPath
  public var interface: String
  public var member: String
  public var body: [DBusValue]
  public var arrival: Arrival
}
