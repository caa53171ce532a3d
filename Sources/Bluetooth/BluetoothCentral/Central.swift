/// A source of Bluetooth events as seen by a GAP central: connections, notifications and gaps of peripherals.
///
/// A live adapter, a packet log and a simulator all implement this protocol, so consumers handle them alike.
/// The same frames result in the same samples, so the implementations can be tested against each other.
///
/// Events come in batches. A live adapter yields a few events at a time. A packet log yields hundreds at
/// once, because a suspension point for each of ten million frames would cost more than decoding them. Events
/// are in the order of receipt, within a batch and between batches. The stream is for one consumer, and ends
/// when the source ends.
public protocol Central: Sendable {
  associatedtype Events: AsyncSequence<[CentralEvent], any Error>

  /// Starts the source. Nothing is read until the first element is requested.
  func events() -> Events
}

/// An event of a peripheral, or a value that was read from it.
public enum CentralEvent: Sendable {
  /// The name that a connected peripheral advertises.
  case named(PeripheralIdentity, String)
  case connected(PeripheralIdentity, ReceiptTime)
  /// The value of a characteristic was read. It does not change during a connection.
  case valueRead(PeripheralIdentity, BluetoothUUID, AttributeValue)
  /// Everything that describes the peripheral has been read. No further `valueRead` follows in this
  /// connection.
  case described(PeripheralIdentity)
  case notified(ValueNotification)
  /// The connection ended, on request or by loss. Notifications between this and the next connection are
  /// lost.
  case disconnected(PeripheralIdentity, ReceiptTime)
  /// The source no longer follows the peripheral. Any later event of the peripheral means that it is followed
  /// again. If there was a connection, this event comes after its end.
  case released(PeripheralIdentity)
  /// No notification arrives from this peripheral from this time on, until the next `notified`. The
  /// connection may continue. With ``GapCause/overflow``, notifications may be missing: a queue was full, or
  /// the packet log has missing or unreadable packets.
  case gapBegan(PeripheralIdentity, GapCause, ReceiptTime)
  /// This number of duplicate notifications was dropped, because each notification is reported only once.
  case repeated(PeripheralIdentity, count: Int)
  /// Notifications of all peripherals may be missing before this time, for example because a recorder dropped
  /// packets.
  case interrupted(ReceiptTime)
  /// The wall clock was set at this time. From now on, times are in the new setting, so they may be earlier
  /// than previous ones.
  case clockSet(ClockSetting, ReceiptTime)
}

extension CentralEvent {
  /// The peripherals that an event concerns.
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
  /// The identity address if the controller resolved it; otherwise the address used by the connection.
  case address(BluetoothAddress)
  /// The address is unknown, because the connection began before the packet log. The number distinguishes
  /// such connections.
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
