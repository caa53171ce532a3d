/// A sniffer's information about one link-layer packet.
///
/// Information missing from the capture format is `unknown` or `nil`.
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
  /// The side of the connection that sent the packet; `nil` for packets outside a connection.
  public var sender: Sender?
  /// Whether the packet was encrypted on the air and the sniffer decrypted it.
  public var isDecrypted: Bool

  public init(crc: Check = .unknown, sender: Sender? = nil, isDecrypted: Bool = false) {
    self.crc = crc
    self.sender = sender
    self.isDecrypted = isDecrypted
  }
}
