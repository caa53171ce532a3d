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
  /// Nothing more arrives from this peripheral until its next notification. Does not itself end the link. With
  /// ``GapCause/overflow`` notifications may be missing: a queue was full, or the source knows of packets that it
  /// does not hold or cannot read.
  case gapBegan(PeripheralIdentity, GapCause, ReceiptTime)
  /// `count` copies of notifications were dropped. Each notification is reported once.
  case repeated(PeripheralIdentity, count: Int)
  /// Notifications may have been lost here (a recorder dropped packets, a buffer overflowed).
  case interrupted(ReceiptTime)
  /// The wall clock was set. Later times are in this setting, beginning with the given time. They may be
  /// earlier than previous times.
  case clockSet(ClockSetting, ReceiptTime)
}
