public import Bluetooth

/// One connection, from its beginning, or from where the log begins, to its end.
public struct Link: Hashable, Sendable {
  /// Tells the links of an observer apart; never used again.
  public let id: UInt32
  /// The peer's identity address where the controller resolved one, else the address it connected with;
  /// `nil` where the log began in mid-connection.
  public let peer: BluetoothAddress?
}
