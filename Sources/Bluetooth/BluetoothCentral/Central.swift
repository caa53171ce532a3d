/// The GAP central as the rest of hrgate sees it: a stream of events of peripherals.
///
/// A live adapter, a packet log and a simulator all have this interface, so a consumer cannot tell them
/// apart. The same frames give the same samples, so each source can be tested against the others.
///
/// Events come in batches. A live radio yields a few at a time. A replay yields hundreds, because a
/// suspension point for each of ten million frames costs more than decoding them. Events are in the order of
/// receipt, within a batch and between batches. The stream is for one consumer, and ends when the source
/// ends.
public protocol Central: Sendable {
  associatedtype Events: AsyncSequence<[CentralEvent], any Error>

  /// Starts the source. It reads nothing before the first element is requested.
  func events() -> Events
}

/// An event of a peripheral, or a fact that the source has read from it.
public enum CentralEvent: Sendable {
  /// The name of a connected peripheral, from its advertisements.
  case named(PeripheralIdentity, String)
  case connected(PeripheralIdentity, ReceiptTime)
  /// A characteristic was read. Its value does not change during a connection.
  case valueRead(PeripheralIdentity, BluetoothUUID, AttributeValue)
  /// The source has read all that it is going to read from the peripheral in this connection.
  case described(PeripheralIdentity)
  case notified(ValueNotification)
  /// The link ended, by request or by loss. Values sent before the next connection are lost.
  case disconnected(PeripheralIdentity, ReceiptTime)
  /// The source no longer follows the peripheral. Later events of it mean that it is followed again. Comes
  /// after the end of the link, and also if there was no link.
  case released(PeripheralIdentity)
  /// Nothing more arrives from this peripheral until its next notification. Does not itself end the link.
  /// With ``GapCause/overflow`` notifications may be missing: a queue was full, or the source knows of
  /// packets that it does not hold or cannot read.
  case gapBegan(PeripheralIdentity, GapCause, ReceiptTime)
  /// `count` copies of notifications were dropped. Each notification is reported once.
  case repeated(PeripheralIdentity, count: Int)
  /// Notifications may have been lost here (a recorder dropped packets, a buffer overflowed).
  case interrupted(ReceiptTime)
  /// The wall clock was set. Later times are in this setting, beginning with the given time. They may be
  /// earlier than previous times.
  case clockSet(ClockSetting, ReceiptTime)
}

extension CentralEvent {
  /// The subject of an event.
  package enum Subject {
    case all
    case peripheral(PeripheralIdentity)
  }

  package var subject: Subject {
    switch self {
    case .named(let peripheral, _), .connected(let peripheral, _), .valueRead(let peripheral, _, _),
      .described(let peripheral), .disconnected(let peripheral, _), .released(let peripheral),
      .gapBegan(let peripheral, _, _), .repeated(let peripheral, count: _):
      .peripheral(peripheral)
    case .notified(let notification): .peripheral(notification.peripheral)
    case .interrupted, .clockSet: .all
    }
  }

  /// The time of the event; `nil` if it has none.
  package var time: ReceiptTime? {
    switch self {
    case .connected(_, let time), .disconnected(_, let time), .gapBegan(_, _, let time),
      .interrupted(let time), .clockSet(_, let time):
      time
    case .notified(let notification): notification.receiptTime
    case .named, .valueRead, .described, .released, .repeated: nil
    }
  }
}

/// The peripheral of an event.
public enum PeripheralIdentity: Hashable, Sendable {
  /// The identity address if the controller resolved it, or else the address of the connection.
  case address(BluetoothAddress)
  /// A link that began before the source did, so no address is known. The number distinguishes such links.
  case unidentified(link: UInt32)
}

extension PeripheralIdentity: CustomStringConvertible {
  public var description: String {
    switch self {
    case .address(let address): address.description
    case .unidentified: "unidentified"
    }
  }
}
