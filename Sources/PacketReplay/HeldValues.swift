import Bluetooth

/// Values of a handle whose characteristic is still unknown, with the connection events between them.
struct HeldValues: Sendable {
  enum Entry: Sendable {
    case value(PushedValue)
    case ended(GapCause, ReceiptTime)
    case began(ReceiptTime)
    /// Values may be missing at this point.
    case missed(ReceiptTime)
  }

  private(set) var entries: [Entry] = []
  /// The number of values among the entries.
  private(set) var count = 0
  /// Counts of the current log's values, including repetitions, by plausibility.
  private(set) var counted = HandleCounts()
  /// The number of those that are repetitions if the handle is Heart Rate Measurement. They are not among the
  /// entries.
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

  /// The number of measurements from earlier logs.
  var fromEarlierLogs: Int { count - (counted.values - repetitions) }

  /// Adds a connection event or a loss between values.
  mutating func mark(_ entry: Entry) {
    guard count > 0 else { return }
    switch (entries.last, entry) {
    case (.value, .ended), (.value, .missed), (.missed, .ended), (.ended, .began): entries.append(entry)
    // Connections without values are removed, so that they need no memory.
    case (.began, .ended): entries.removeLast()
    default: break
    }
  }

  /// Starts another log that continues these values.
  mutating func beginLog() {
    counted = HandleCounts()
    repetitions = 0
  }
}

/// The evidence that a value gives for its handle being Heart Rate Measurement.
enum HandleLooks: Sendable {
  /// A heart rate that is possible for a person.
  case plausible
  /// A valid frame without a heart rate: no sensor contact, or no reading yet.
  case silent
  /// A value that no strap sends: an invalid length or flag, or an impossible heart rate.
  case implausible
}

/// Counts of values by plausibility.
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

/// A value sent by a peer, with the doubts about it. They are kept until the characteristic of its handle is
/// known.
struct PushedValue: Sendable {
  var value: AttributeValue
  var time: ReceiptTime
  /// Whether the value may be a retransmission of the previous one. The capture does not tell.
  var isInDoubt = false
  /// The length of the complete value in bytes, if the log has only its beginning.
  var wholeLength: Int?

  var marks: FrameMarks {
    var marks: FrameMarks = isInDoubt ? .mayBeCopy : []
    if wholeLength != nil { marks.insert(.truncated) }
    return marks
  }

  /// Whether the value is a retransmission, assuming that it is a measurement. A value in doubt that contains
  /// beats is one: a strap never sends the same beats in two frames so close together (Heart Rate Service
  /// 1.0, §3.1.1.1: bit 4, RR intervals).
  var isRepeatedMeasurement: Bool {
    isInDoubt && value.withBytes { $0.byteCount > 3 && ($0.uint8(at: 0) ?? 0) & 0x10 != 0 }
  }
}
