/// A value that a peripheral sent as a notification or indication.
public struct ValueNotification: Sendable {
  public var peripheral: PeripheralIdentity
  public var characteristic: BluetoothUUID
  /// The bytes of the value, at most 512.
  public var value: AttributeValue
  /// When the host received it; an estimate if ``marks`` contains ``FrameMarks/delayed``.
  public var receiptTime: ReceiptTime
  /// Doubts about the value or its time.
  public var marks: FrameMarks

  public init(
    peripheral: PeripheralIdentity, characteristic: BluetoothUUID, value: AttributeValue,
    receiptTime: ReceiptTime, marks: FrameMarks = []
  ) {
    self.peripheral = peripheral
    self.characteristic = characteristic
    self.value = value
    self.receiptTime = receiptTime
    self.marks = marks
  }
}

/// Doubts about a notification that is passed on nevertheless.
public struct FrameMarks: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The notification may be a copy of the one before it, which bluetoothd sent for another client or the
  /// radio repeated. The source cannot determine which.
  public static let mayBeCopy = FrameMarks(rawValue: 1)
  /// The notification was queued before its receipt time was taken. The receipt time is an estimate based on
  /// the surrounding values or, if the machine was paused, the time at which it resumed.
  public static let delayed = FrameMarks(rawValue: 2)
  /// The packet log contains only the beginning of the frame. The fields in it are correct, but RR intervals
  /// are missing. This mark is not in ``names``, because the heart rate is still correct.
  public static let truncated = FrameMarks(rawValue: 4)

  private static let all: [(mark: FrameMarks, name: String)] = [
    (.mayBeCopy, "mayBeCopy"), (.delayed, "delayed"),
  ]

  /// The names of the marks. They are used as names of counters and, prefixed with `org.hrgate.`, as metadata
  /// keys of a sample with the value `true`. They are stored, so they never change.
  public var names: [String] {
    isEmpty ? [] : Self.all.filter { contains($0.mark) }.map(\.name)
  }
}
