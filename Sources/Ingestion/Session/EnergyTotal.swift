import Bluetooth

/// Energy that was burned between two readings of a strap's running total.
struct EnergyDifference: Hashable, Sendable {
  var kilojoules: UInt16
  /// The last reading at which the total had not risen yet.
  var start: ReceiptTime
  var end: ReceiptTime
}

/// Turns the running total of 0x2A37 into differences.
///
/// The first reading of a connection only says where the total stands, and so does the first after a reset or
/// with a full counter: what was burned before it is not known to belong to this time.
struct EnergyTotal {
  private var previous: (total: UInt16, time: ReceiptTime)?

  /// The next reading is a first one.
  mutating func forget() { previous = nil }

  /// What is known of earlier times has changed: the clock was set.
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
