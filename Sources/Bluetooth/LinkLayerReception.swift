/// A sniffer's information about one link-layer packet.
///
/// Fields that the capture format does not have are `unknown` or `nil`.
public struct LinkLayerReception: Hashable, Sendable {
  public enum Check: Hashable, Sendable {
    case unknown
    case valid
    case invalid
  }

  public enum Sender: Hashable, Sendable {
    case central
    case peripheral
  }

  /// The result of the CRC check.
  public var crc: Check
  /// The sender of a packet of a connection.
  public var sender: Sender?
  /// The PDU was encrypted on the air, and the sniffer has decrypted it.
  public var isDecrypted: Bool

  public init(crc: Check = .unknown, sender: Sender? = nil, isDecrypted: Bool = false) {
    self.crc = crc
    self.sender = sender
    self.isDecrypted = isDecrypted
  }
}
