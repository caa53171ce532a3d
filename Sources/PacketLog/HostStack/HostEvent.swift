public import Bluetooth

/// An event of the attribute protocol or of a connection. Its time is that of the packet, which the caller
/// knows.
public enum HostEvent: Hashable, Sendable {
  /// The name of an address in an advertisement or scan response, if it was not reported before.
  case named(BluetoothAddress, String)
  case connected(Link)
  /// The link ended, with the controller's error code as the reason (Core Specification, Vol 1, Part F).
  case disconnected(Link, reason: UInt8)
  /// The peer responded to a read of one of its attributes.
  case attributeRead(Link, handle: UInt16, characteristic: BluetoothUUID?, value: AttributeValue)
  /// A client subscribed to a characteristic.
  ///
  /// If the log does not declare the characteristic, it is `nil`, and the value handle is assumed to be the
  /// handle before the descriptor's.
  case subscribed(Link, valueHandle: UInt16, characteristic: BluetoothUUID?)
  /// The peer declared the characteristic of a value handle.
  case declared(Link, handle: UInt16, characteristic: BluetoothUUID)
  /// The peer sent a value by notification, indication, or multiple-value notification.
  case notified(Link, handle: UInt16, characteristic: BluetoothUUID?, value: AttributeValue)
  /// The peer sent a value that is truncated in the log. `length` is the length of the whole value in bytes.
  case notifiedInPart(
    Link, handle: UInt16, characteristic: BluetoothUUID?, value: AttributeValue, length: Int)
  /// A packet of the link is missing or cannot be read. It may have been a notification.
  case incomplete(Link)
  /// A packet of the link was not decoded. It may be the first packet of the link.
  case unread(Link, UnreadTraffic)
  /// A local server sent the same value to another client.
  case repeated(Link, handle: UInt16, characteristic: BluetoothUUID?)
  case anomaly(HostAnomaly)
}

/// Traffic that violates the specification or cannot be tracked.
public enum HostAnomaly: String, Hashable, Sendable, CaseIterable {
  /// An HCI event, ACL packet, or link-layer packet is shorter than stated in its length field.
  case truncatedPacket
  /// A fragment continues a frame whose start is missing.
  case continuationWithoutStart
  /// A frame starts before the previous one is complete.
  case startInsideFrame
  /// The fragments are longer than the frame.
  case frameTooLong
  /// An attribute PDU is too short for its opcode.
  case truncatedPDU
  /// There are more links, peers, or names than this observer can store.
  case tooManyLinks
  case crcInvalid
  case retransmission
  /// The next notification may be a retransmission of the previous one. This cannot be determined, because
  /// the capture does not contain empty PDUs.
  case perhapsRepetition
}

/// Kinds of packets that are counted but not decoded.
public enum UnreadTraffic: String, Hashable, Sendable, CaseIterable {
  /// A frame of an Enhanced ATT bearer (EATT).
  case enhancedAttributeFrame
  /// A frame of a connection-oriented channel that is not known to be an Enhanced ATT bearer. It may be one
  /// that was opened before the log started.
  case channelFrame
  /// An attribute PDU with an opcode that the Core Specification does not define.
  case unknownOpcode
  /// A PDU that was encrypted on the air and not decrypted by the sniffer.
  case encryptedPDU
}

/// A connection to an attribute server.
public struct Link: Hashable, Sendable {
  /// A number that is unique among the links of this observer. ``HCIObserver`` and ``LinkLayerObserver`` use
  /// different numbers.
  public let id: UInt32
  /// The server's identity address if the controller resolved it, otherwise the address used to connect.
  ///
  /// `nil` if the log does not contain the start of the connection.
  public let peer: BluetoothAddress?
  /// Whether the server is at the local end: the recording host's or, in a sniffer's log, the central's.
  ///
  /// All its clients are reported as one link, which ends when the last client disconnects.
  public let isLocal: Bool

  init(id: UInt32, peer: BluetoothAddress?, isLocal: Bool = false) {
    self.id = id
    self.peer = peer
    self.isLocal = isLocal
  }
}
