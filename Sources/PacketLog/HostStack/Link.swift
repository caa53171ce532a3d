public import Bluetooth

/// A connection to an attribute server.
public struct Link: Hashable, Sendable {
  /// A number that is unique among the links of this observer and of an observer of the other type.
  public let id: UInt32
  /// The server's identity address if the controller resolved it, otherwise the address used to connect.
  ///
  /// `nil` if the log does not contain the start of the connection.
  public let peer: BluetoothAddress?
  /// Whether the server is at the local end: the recording host's own, or on the air the central's.
  ///
  /// All its clients are reported as one link, which ends with the last client.
  public let isLocal: Bool

  init(id: UInt32, peer: BluetoothAddress?, isLocal: Bool = false) {
    self.id = id
    self.peer = peer
    self.isLocal = isLocal
  }
}
