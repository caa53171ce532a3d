import Bluetooth

/// Converts the energy total in Heart Rate Measurement (0x2A37) to differences.
///
/// There is no difference for the first total of a connection or after a reset, because the energy may have
/// been expended at another time, and none for a counter that has reached its maximum.
/// A difference starts when the last total before the increase was received.
struct EnergyTotal {
  private var previous: (total: UInt16, time: ReceiptTime)?

  /// Makes the next total the first one, which does not result in a difference.
  mutating func forget() { previous = nil }

  /// Corrects the remembered time after a change of the wall clock.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    if let time = previous?.time { previous?.time = corrected(time) }
  }

  mutating func receive(_ total: UInt16, at time: ReceiptTime) -> QuantityDraft? {
    guard total != HeartRateMeasurement.saturatedEnergyExpended else {
      previous = nil
      return nil
    }
    defer { previous = (total, time) }
    guard let previous, total > previous.total, time >= previous.time else { return nil }
    return QuantityDraft(
      kind: .energy, value: Double(total - previous.total), start: previous.time, end: time)
  }
}
