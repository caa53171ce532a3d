package import Bluetooth

/// Changes of a strap's stored status. Contains no health data.
struct StrapUpdates: Hashable, Sendable {
  /// The battery level in percent.
  var battery: UInt8?
  /// When the strap last connected or sent a measurement or its battery level.
  private(set) var lastSeen: ReceiptTime?
  private(set) var lastMeasurement: ReceiptTime?
  /// Whether the strap's description changed.
  var isDescribed = false

  var isEmpty: Bool { self == StrapUpdates() }

  mutating func saw(at time: ReceiptTime) { lastSeen = max(time, lastSeen ?? time) }

  mutating func measured(at time: ReceiptTime) {
    lastMeasurement = time
    saw(at: time)
  }
}

/// A measured value that is not a sample yet, because its monitor's description is missing.
enum SampleDraft: Sendable {
  /// The heart rate in beats per minute, and the measurement frame that contains it.
  case heartRate(UInt16, at: ReceiptTime, frame: AttributeValue, marks: FrameMarks)
  /// Another quantity, and the frame that contains it.
  case quantity(QuantityDraft, frame: AttributeValue)
  case beats(BeatSegment, marks: FrameMarks)
}

/// A measured quantity other than a heart rate, in the unit of its kind.
struct QuantityDraft: Hashable, Sendable {
  var kind: SampleIdentity.Kind
  var value: Double
  var start: ReceiptTime
  var end: ReceiptTime
}

/// A decoded value of a strap for subscribers. It is not stored yet.
package struct StrapReading: Sendable {
  package enum Value: Sendable {
    case measurement(HeartRateMeasurement, at: ReceiptTime, settings: MonitorSettings)
    case battery(BatteryLevel)
  }

  package var peripheral: PeripheralIdentity
  package var value: Value
}
