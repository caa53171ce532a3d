/// One thing that a peripheral did, or that was learnt about it.
public enum CentralEvent: Sendable {
  /// The name of a peripheral that is connected, from its advertisements.
  case named(PeripheralIdentity, String)
  case connected(PeripheralIdentity, ReceiptTime)
  /// A characteristic was read; the value says something lasting about the peripheral.
  case valueRead(PeripheralIdentity, BluetoothUUID, AttributeValue)
  /// All that the source is going to read about the peripheral in this connection has been read.
  case described(PeripheralIdentity)
  case notified(ValueNotification)
  /// The link ended, by request or by loss; what was sent until the next connection is gone for good.
  case disconnected(PeripheralIdentity, ReceiptTime)
  /// The source no longer follows the peripheral: what it tells of it after this, it tells because it was
  /// asked anew. It comes after the end of the link, and where there was no link.
  case released(PeripheralIdentity)
  /// Nothing more arrives from this peripheral until its next notification. Does not itself end the link. With
  /// ``GapCause/overflow`` notifications may be missing: a queue was full, or the source knows of packets that it
  /// does not hold or cannot read.
  case gapBegan(PeripheralIdentity, GapCause, ReceiptTime)
  /// So many notifications came more than once; each is told once, and the copies are left out.
  case repeated(PeripheralIdentity, count: Int)
  /// Notifications may have been lost here (a recorder dropped packets, a buffer overflowed).
  case interrupted(ReceiptTime)
  /// Wall time was set. From here on times are told by this setting, the first of them being the time given:
  /// they may precede those before.
  case clockSet(ClockSetting, ReceiptTime)
}
