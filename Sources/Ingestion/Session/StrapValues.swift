package import Bluetooth

/// Changes of a strap's status, apart from its measurements. Contains no health data.
struct StrapUpdates: Hashable, Sendable {
  /// Percent.
  var battery: UInt8?
  /// When it last connected, measured or reported its battery level.
  private(set) var lastSeen: ReceiptTime?
  private(set) var lastMeasurement: ReceiptTime?
  /// Whether its description changed.
  var isDescribed = false

  var isEmpty: Bool { self == StrapUpdates() }

  mutating func saw(at time: ReceiptTime) { lastSeen = max(time, lastSeen ?? time) }

  mutating func measured(at time: ReceiptTime) {
    lastMeasurement = time
    saw(at: time)
  }
}

/// A value of a measurement, before it is converted to a sample of its monitor.
enum SampleDraft: Sendable {
  /// Beats per minute, with the frame that contained it.
  case heartRate(UInt16, at: ReceiptTime, frame: AttributeValue, marks: FrameMarks)
  case energy(EnergyDifference, frame: AttributeValue)
  case beats(BeatSegment, marks: FrameMarks)
}

/// A decoded value of a strap, for watchers, before it is stored.
package struct StrapReading: Sendable {
  package enum Value: Sendable {
    case measurement(HeartRateMeasurement, at: ReceiptTime, settings: MonitorSettings)
    case battery(BatteryLevel)
  }

  package var peripheral: PeripheralIdentity
  package var value: Value
}
