/// Who wants to be called at once, without a change of tasks, for a property of octets that changes again and
/// again: the value of a characteristic.
public struct OctetsListener: Sendable {
  let interface: String
  let property: String
  let receive: @Sendable (ObjectPath, RawSpan, Arrival) -> Void

  /// - Parameter receive: called on the connection's loop, with the octets lent; it must not block.
  public init(
    interface: String, property: String,
    receive: @escaping @Sendable (ObjectPath, RawSpan, Arrival) -> Void
  ) {
    self.interface = interface
    self.property = property
    self.receive = receive
  }

  func wants(_ change: RepeatedChange) -> Bool {
    change.interface == interface && change.property == property
  }
}
