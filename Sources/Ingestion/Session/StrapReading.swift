package import Bluetooth
package import BluetoothCentral
package import GATT

/// What a strap told, decoded: for whoever watches, and before it is known what becomes of it.
package struct StrapReading: Sendable {
  package enum Value: Sendable {
    case measurement(HeartRateMeasurement, at: ReceiptTime)
    case battery(BatteryLevel)
  }

  package var peripheral: PeripheralIdentity
  package var value: Value
}
