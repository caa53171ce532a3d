import Bluetooth

/// The values of an attribute handle whose characteristic is still unknown, with the connections and
/// disconnections between them.
struct HeldValues: Sendable {
  enum Entry: Sendable {
    case value(PushedValue)
    case ended(GapCause, ReceiptTime)
    case began(ReceiptTime)
    /// Values may be missing at this position.
    case missed(ReceiptTime)
  }

  private(set) var entries: [Entry] = []
  /// The number of held values.
  private(set) var count = 0
  /// Counts of the values in the current log, including retransmissions.
  private(set) var counted = HandleCounts()
  /// The number of values in the current log that are retransmissions if the handle is Heart Rate
  /// Measurement. Retransmissions are not held.
  private(set) var repetitions = 0

  mutating func append(_ value: PushedValue, _ looks: HandleLooks) {
    entries.append(.value(value))
    count += 1
    counted.add(looks)
  }

  mutating func countRepetition(_ looks: HandleLooks) {
    repetitions += 1
    counted.add(looks)
  }

  /// The number of held values from earlier logs.
  var fromEarlierLogs: Int { count - (counted.values - repetitions) }

  /// Adds a connection, a disconnection or a loss between values.
  mutating func mark(_ entry: Entry) {
    guard count > 0 else { return }
    switch (entries.last, entry) {
    case (.value, .ended), (.value, .missed), (.missed, .ended), (.ended, .began): entries.append(entry)
    // Remove a connection without values, so that it does not need memory.
    case (.began, .ended): entries.removeLast()
    default: break
    }
  }

  /// Handles the start of a log that continues the previous one.
  mutating func beginLog() {
    counted = HandleCounts()
    repetitions = 0
  }
}

/// Whether a value can be a Heart Rate Measurement.
enum HandleLooks: Sendable {
  /// The value contains a heart rate that is possible for a person.
  case plausible
  /// The value is valid but does not contain a heart rate, because there is no skin contact or no measured
  /// value yet.
  case silent
  /// No strap sends such a value: the length or a flag is invalid, or the heart rate is impossible for a
  /// person.
  case implausible
}

/// The number of values, and how many of them are possible and impossible as heart rates.
struct HandleCounts: Sendable {
  var values = 0
  var plausible = 0
  var implausible = 0

  mutating func add(_ looks: HandleLooks) {
    values += 1
    if looks == .plausible { plausible += 1 }
    if looks == .implausible { implausible += 1 }
  }
}

/// A notified value that is held until the characteristic of its handle is known, and whether it may be a
/// retransmission or is truncated.
struct PushedValue: Sendable {
  var value: AttributeValue
  var time: ReceiptTime
  /// Whether the value may be a retransmission of the previous one, which the capture does not reveal.
  var isInDoubt = false
  /// The length of the complete value in bytes if the log contains only its beginning; otherwise `nil`.
  var wholeLength: Int?

  var marks: FrameMarks {
    var marks: FrameMarks = isInDoubt ? .mayBeCopy : []
    if wholeLength != nil { marks.insert(.truncated) }
    return marks
  }

  /// Whether the value is a retransmission, assuming that it is a Heart Rate Measurement. It is one if it
  /// ``isInDoubt`` and contains RR intervals: a strap does not send the same intervals in two frames this
  /// close together (Heart Rate Service 1.0, §3.1.1.1, bit 4).
  var isRepeatedMeasurement: Bool {
    isInDoubt && value.withBytes { $0.byteCount > 3 && ($0.uint8(at: 0) ?? 0) & 0x10 != 0 }
  }
}
