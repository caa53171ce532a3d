/// A signal that came.
public struct Signal: Sendable {
  /// The unique name of the emitter, whatever name the rule was written with.
  public var sender: String?
  public var path: ObjectPath
  public var interface: String
  public var member: String
  public var body: [DBusValue]
  public var arrival: Arrival

  public init(
    sender: String?, path: ObjectPath, interface: String, member: String, body: [DBusValue], arrival: Arrival
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.body = body
    self.arrival = arrival
  }
}
