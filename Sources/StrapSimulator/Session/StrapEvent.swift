import Bluetooth

/// One thing that happens between a strap and the host, in the order of a host's eyes.
enum StrapEvent: Sendable {
  case advertised
  case connected
  case requested([UInt8])
  /// The response, and what the client has read in full with it.
  case responded([UInt8], read: (characteristic: BluetoothUUID, value: AttributeValue)?)
  /// The client knows all that it asks for in this connection.
  case measured(HeartRateMeasurement)
  /// The reason is a controller's (Core Specification, Vol 1, Part F).
  case disconnected(reason: UInt8)
}
