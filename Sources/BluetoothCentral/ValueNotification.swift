public import Bluetooth

/// A value that a peripheral pushed, by notification or indication.
public struct ValueNotification: Sendable {
  public var peripheral: PeripheralIdentity
  public var characteristic: BluetoothUUID
  public var value: AttributeValue
  public var receiptTime: ReceiptTime

  public init(
    peripheral: PeripheralIdentity, characteristic: BluetoothUUID, value: AttributeValue,
    receiptTime: ReceiptTime
  ) {
    self.peripheral = peripheral
    self.characteristic = characteristic
    self.value = value
    self.receiptTime = receiptTime
  }
}
