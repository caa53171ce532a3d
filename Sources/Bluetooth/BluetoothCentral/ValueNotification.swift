/// A value that a peripheral sent, by notification or indication.
public struct ValueNotification: Sendable {
  public var peripheral: PeripheralIdentity
  public var characteristic: BluetoothUUID
  public var value: AttributeValue
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
