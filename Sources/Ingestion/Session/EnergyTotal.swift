import Bluetooth

/// Energy that was burned between two readings of a strap's running total.
struct EnergyDifference: Hashable, Sendable {
  var kilojoules: UInt16
  /// The last reading before the total rose.
  var start: ReceiptTime
  var end: ReceiptTime
}

/// Converts the running total of 0x2A37 to differences.
///
/// The first reading of a connection, the first after a reset, and a full counter only set the baseline:
/// the energy before them may not belong to this time.
struct EnergyTotal {
  private var previous: (total: UInt16, time: ReceiptTime)?

  /// Makes the next reading a baseline.
  mutating func forget() { previous = nil }

  /// Corrects the remembered time after a clock change.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    if let time = previous?.time { previous?.time = corrected(time) }
  }

  mutating func receive(_ total: UInt16, at time: ReceiptTime) -> EnergyDifference? {
    guard total != HeartRateMeasurement.saturatedEnergyExpended else {
      previous = nil
      return nil
    }
    defer { previous = (total, time) }
    guard let previous, total > previous.total, time >= previous.time else { return nil }
    return EnergyDifference(kilojoules: total - previous.total, start: previous.time, end: time)
  }
}
