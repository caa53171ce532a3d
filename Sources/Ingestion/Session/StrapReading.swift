package import Bluetooth

/// A decoded value of a strap, for watchers, before it is stored.
package struct StrapReading: Sendable {
  package enum Value: Sendable {
    case measurement(HeartRateMeasurement, at: ReceiptTime, settings: MonitorSettings)
    case battery(BatteryLevel)
  }

  package var peripheral: PeripheralIdentity
  package var value: Value
}
