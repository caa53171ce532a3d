public import Bluetooth

/// One connection to a server, from its beginning, or from where the log begins, to its end.
public struct Link: Hashable, Sendable {
  /// The number of the link. No other link of this observer or of the other kind of observer has it.
  public let id: UInt32
  /// The server's identity address where the controller resolved one, else the address it connected with;
  /// `nil` where the log began in mid-connection.
  public let peer: BluetoothAddress?
  /// The server is not at the other end: it is the recording host's own (on the air, the central's), and all
  /// its clients are one link. It lasts while there are any.
  public let isLocal: Bool

  init(id: UInt32, peer: BluetoothAddress?, isLocal: Bool = false) {
    self.id = id
    self.peer = peer
    self.isLocal = isLocal
  }
}
