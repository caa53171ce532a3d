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
