public import Bluetooth

/// What a host's traffic says, in the words of the attribute protocol. Times are the caller's: those of the
/// packet.
public enum HostEvent: Hashable, Sendable {
  /// A local name in an advertisement or scan response, when it is new for the address.
  case named(BluetoothAddress, String)
  case connected(Link)
  /// The reason is the controller's (Core Specification, Vol 1, Part F).
  case disconnected(Link, reason: UInt8)
  /// The peer answered a read of one of its attributes.
  case attributeRead(Link, handle: UInt16, characteristic: BluetoothUUID?, value: AttributeValue)
  /// A client turned on the values of a characteristic. Without a declaration of it in the log the
  /// characteristic is `nil`, and the value's handle is taken to be the one before the descriptor's.
  case subscribed(Link, valueHandle: UInt16, characteristic: BluetoothUUID?)
  /// The peer told which characteristic's value a handle holds.
  case declared(Link, handle: UInt16, characteristic: BluetoothUUID)
  /// The peer pushed a value, by notification, indication or as part of a multiple-value notification.
  case notified(Link, handle: UInt16, characteristic: BluetoothUUID?, value: AttributeValue)
  /// The peer pushed a value of which the log holds only the beginning. `length` is that of the whole value,
  /// in bytes.
  case notifiedInPart(
    Link, handle: UInt16, characteristic: BluetoothUUID?, value: AttributeValue, length: Int)
  /// A packet of the link is missing in the log, or cannot be read: it may have been a notification.
  case incomplete(Link)
  /// The link carried a packet that is not decoded. It may be the first sign of the link.
  case unread(Link, UnreadTraffic)
  /// A local server pushed the same value to a further client.
  case repeated(Link, handle: UInt16, characteristic: BluetoothUUID?)
  case anomaly(HostAnomaly)
}

/// Traffic that deviates from the specification, or cannot be followed.
public enum HostAnomaly: String, Hashable, Sendable, CaseIterable {
  /// An HCI event, an ACL packet or a link-layer packet ends before its own length does.
  case truncatedPacket
  /// A fragment continues a frame whose start is not there.
  case continuationWithoutStart
  /// A frame starts while another is incomplete.
  case startInsideFrame
  /// Fragments hold more than the frame's length.
  case frameTooLong
  /// An attribute PDU ends before the fields of its opcode do.
  case truncatedPDU
  /// More links, peers or names than are followed at a time.
  case tooManyLinks
  case crcInvalid
  case retransmission
  /// The notification after this may be a repetition of the one before it, which a capture without empty PDUs
  /// does not show.
  case perhapsRepetition
}

/// Packets of a link that are seen and not decoded.
public enum UnreadTraffic: String, Hashable, Sendable, CaseIterable {
  /// A frame of an enhanced attribute bearer (EATT), which has a channel of its own.
  case enhancedAttributeFrame
  /// A frame of another connection-oriented channel, or of an enhanced attribute bearer that was opened before
  /// the log begins.
  case channelFrame
  /// An attribute PDU with an opcode that the Core Specification does not define.
  case unknownOpcode
  /// A PDU that is encrypted on the air and was not decrypted by the sniffer.
  case encryptedPDU
}
