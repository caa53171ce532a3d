import Bluetooth

extension StrapEvent {
  /// Returns the events that a central reports for this event.
  func centralEvents(of strap: StrapProfile, at time: ReceiptTime) -> [CentralEvent] {
    let peripheral = PeripheralIdentity.address(strap.address)
    return switch self {
    case .advertised, .requested, .responded(_, nil): []
    case .connected: [.connected(peripheral, time), .named(peripheral, strap.name)]
    case .responded(_, let read?): [.valueRead(peripheral, read.characteristic, read.value)]
    case .measured(let measurement):
      [
        .notified(
          ValueNotification(
            peripheral: peripheral, characteristic: .heartRateMeasurement, value: measurement.encoded,
            receiptTime: time))
      ]
    case .disconnected(let reason):
      [.gapBegan(peripheral, GapCause(hciReason: reason), time), .disconnected(peripheral, time)]
    }
  }
}
