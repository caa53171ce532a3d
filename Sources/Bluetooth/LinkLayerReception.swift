/// What a sniffer says about one link-layer packet that it heard on the air.
///
/// Each field is what the capture states; a capture format that has no room for a fact leaves it `unknown` or
/// `nil`.
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

  /// The verdict on the packet's CRC.
  public var crc: Check
  /// Who sent it, for packets of a connection.
  public var sender: Sender?
  /// The PDU was encrypted on the air and the sniffer has decrypted it.
  public var isDecrypted: Bool

  public init(crc: Check = .unknown, sender: Sender? = nil, isDecrypted: Bool = false) {
    self.crc = crc
    self.sender = sender
    self.isDecrypted = isDecrypted
  }
}
