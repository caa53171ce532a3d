/// A value that a peripheral sent, by notification or indication.
public struct ValueNotification: Sendable {
  public var peripheral: PeripheralIdentity
  public var characteristic: BluetoothUUID
  /// The bytes, of at most 512.
  public var value: AttributeValue
  /// When the host received it; an estimate if ``marks`` contains ``FrameMarks/delayed``.
  public var receiptTime: ReceiptTime
  /// Doubts about the value.
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

  /// The notification may be a copy of the one before it, for another client or repeated on the air. The
  /// source cannot tell.
  public static let mayBeCopy = FrameMarks(rawValue: 1)
  /// The notification was queued before its receipt time was taken. Its receipt time is an estimate from
  /// those around it, or, if the machine was paused, the time at which it continued.
  public static let delayed = FrameMarks(rawValue: 2)
  /// The source has only the beginning of the frame. The fields that it has are exact, but the intervals are
  /// missing. Not in ``names``, because the heart rate of such a frame is as good as any other.
  public static let truncated = FrameMarks(rawValue: 4)

  private static let all: [(mark: FrameMarks, name: String)] = [
    (.mayBeCopy, "mayBeCopy"), (.delayed, "delayed"),
  ]

  /// The names of the marks. They are used for the counters of a run and, after `org.hrgate.`, as metadata
  /// keys of a sample with the value `true`. They are stored and do not change.
  public var names: [String] {
    isEmpty ? [] : Self.all.filter { contains($0.mark) }.map(\.name)
  }
}
