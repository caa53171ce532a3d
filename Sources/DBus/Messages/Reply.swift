/// What a method returned.
public struct Reply: Sendable {
  public var body: [DBusValue]
  public var arrival: Arrival
  /// The unique name of the callee.
  public var sender: String?

  public init(body: [DBusValue], arrival: Arrival, sender: String?) {
    self.body = body
    self.arrival = arrival
    self.sender = sender
  }
}
