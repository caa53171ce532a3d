import Bluetooth

/// Changes of a strap's status, apart from its measurements. Contains no health data.
struct StrapNews: Hashable, Sendable {
  /// Percent.
  var battery: UInt8?
  /// When it last connected, measured or reported its battery level.
  private(set) var lastSeen: ReceiptTime?
  private(set) var lastMeasurement: ReceiptTime?
  /// Whether its description changed.
  var isDescribed = false

  var isEmpty: Bool { self == StrapNews() }

  mutating func saw(at time: ReceiptTime) { lastSeen = max(time, lastSeen ?? time) }

  mutating func measured(at time: ReceiptTime) {
    lastMeasurement = time
    saw(at: time)
  }
}
