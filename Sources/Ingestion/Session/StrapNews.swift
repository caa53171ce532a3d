import Bluetooth

/// What became known of a strap beside its measurements: the gateway's status, and no health data.
struct StrapNews: Hashable, Sendable {
  /// Percent.
  var battery: UInt8?
  /// When it last connected, measured or told its battery.
  private(set) var lastSeen: ReceiptTime?
  private(set) var lastMeasurement: ReceiptTime?
  /// It said something of itself that was not known.
  var isDescribed = false

  var isEmpty: Bool { self == StrapNews() }

  mutating func saw(at time: ReceiptTime) { lastSeen = max(time, lastSeen ?? time) }

  mutating func measured(at time: ReceiptTime) {
    lastMeasurement = time
    saw(at: time)
  }
}
