import Bluetooth

/// What a handle notified before it was known what the handle is, and what became of its link meanwhile.
struct HeldValues: Sendable {
  enum Entry: Sendable {
    case value(PushedValue)
    case ended(GapCause, ReceiptTime)
    case began(ReceiptTime)
    /// Values may be missing here.
    case missed(ReceiptTime)
  }

  private(set) var entries: [Entry] = []
  /// How many of them are values.
  private(set) var count = 0
  /// How many the log that is being read counted, with its repetitions, and how they look.
  private(set) var counted = HandleCounts()
  /// How many of those are repetitions if the handle is Heart Rate Measurement. They are not among the
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

  /// How many measurements came in earlier logs.
  var fromEarlierLogs: Int { count - (counted.values - repetitions) }

  /// The link ended or began between the values, or values are missing.
  mutating func mark(_ entry: Entry) {
    guard count > 0 else { return }
    switch (entries.last, entry) {
    case (.value, .ended), (.value, .missed), (.missed, .ended), (.ended, .began): entries.append(entry)
    // Links on which nothing was notified leave no trace, so that they cost nothing.
    case (.began, .ended): entries.removeLast()
    default: break
    }
  }

  /// Another log goes on with them.
  mutating func beginLog() {
    counted = HandleCounts()
    repetitions = 0
  }
}

/// What a value is for the question whether its handle is Heart Rate Measurement.
enum HandleLooks: Sendable {
  /// A heart rate that a person can have.
  case plausible
  /// A sound frame without a heart rate: no contact, or not found yet.
  case silent
  /// What no strap sends: a length or a bit that no frame has, a rate that no heart has.
  case implausible
}

/// Values of a handle, counted.
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
