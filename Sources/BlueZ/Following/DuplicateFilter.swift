import Bluetooth

/// Recognises the copies of a notification that other subscribers of the same characteristic cause.
///
/// bluetoothd signals a value once for each D-Bus client that has subscribed, and each signal reaches every
/// client. So with a second subscriber every notification comes twice, the copies right behind each other. A
/// monitor may send equal values in a burst as well, so equal and close is not enough. Copies are dropped
/// only when *every* notification comes with as many, and only where a copy can be told from a measurement:
/// of a monitor that sends RR intervals, which two measurements in a row do not share, or where it is known
/// that somebody else has subscribed. What is dropped is counted.
///
/// While no copies are known of, an extra one is held until the next notification shows whether it, too,
/// comes twice. Then both are dropped, or the held one is handed on in its place.
struct DuplicateFilter {
  struct Value: Hashable {
    var bytes: [UInt8]
    var receipt: Receipt

    /// Two measurements of this kind are not alike by chance (Heart Rate Service 1.0, §3.1.1.1: bit 4, RR
    /// intervals).
    var isDistinctive: Bool { bytes.count > 3 && bytes[0] & 0x10 != 0 }
  }

  /// bluetoothd sends the copies of one notification from one callback. This leaves room for a busy machine,
  /// where they came 35 ms apart. No monitor measures ten times a second.
  static let spread = Duration.milliseconds(100)
  /// How long a copy may be held when nothing decides.
  static let patience = Duration.seconds(3)
  /// A longer run of equal values is a stuck monitor, not copies.
  static let longestRun = 32

  /// Somebody else had subscribed before us.
  var knowsOfOthers = false
  /// The monitor sends RR intervals, if not with each measurement.
  private var seesIntervals = false
  /// How often each notification is signalled.
  private(set) var copies = 1
  private var dropped = 0
  private var run: [Value] = []
  /// How many of the run's values have left it, handed on or counted.
  private var passed = 0
  /// How long the run before was, while copies are known of.
  private var lastCount = 0
  /// The run before, whose extra values wait for what this run shows.
  private var held: [Value] = []

  /// Takes one signalled value.
  ///
  /// - Returns: What is a notification of its own, oldest first.
  mutating func receive(_ value: Value) -> [Value] {
    if value.isDistinctive { seesIntervals = true }
    if let first = run.first, let last = run.last, first.bytes == value.bytes,
      value.receipt.boot - last.receipt.boot <= Self.spread
    {
      return extend(by: value)
    }
    let before = closeRun()
    run = [value]
    // Nothing may overtake what is held.
    return before + (held.isEmpty ? [value] : [])
  }

  /// How many copies were dropped since the last call.
  mutating func takeDropped() -> Int {
    defer { dropped = 0 }
    return dropped
  }

  /// When ``flush(at:)`` has something to do.
  var deadline: BootTime? {
    // What waits behind something held is decided as soon as no copy of it can come any more.
    if !held.isEmpty, let last = run.last { return last.receipt.boot + Self.spread }
    return copies == 1 && run.count > 1 ? run[1].receipt.boot + Self.patience : nil
  }

  /// Decides about what is held, once its time has come.
  mutating func flush(at now: BootTime) -> [Value] {
    guard let deadline, deadline <= now else { return [] }
    return end()
  }

  /// Nothing is to be held any more: the link ended, or something is to be told that comes after all this.
  mutating func end() -> [Value] {
    let rest = closeRun() + held
    held = []
    run = []
    passed = 0
    return rest
  }

  // MARK: - Steps

  /// The value equals the first of the run, and follows close upon the last.
  private mutating func extend(by value: Value) -> [Value] {
    if copies > 1 {
      passed += 1
      run = [run[0], value]
      // One of each `copies` is a notification.
      if (passed + 1) % copies == 1 { return [value] }
      dropped += 1
      return []
    }
    guard knowsOfOthers || seesIntervals, run.count < Self.longestRun else {
      // It cannot be told from a measurement, and neither can what was held.
      let rest = end()
      run = [value]
      return rest + [value]
    }
    run.append(value)
    return []
  }

  /// The run is over. Decides about the one before it, and about it as far as that can be.
  private mutating func closeRun() -> [Value] {
    guard let first = run.first else { return [] }
    defer {
      run = []
      passed = 0
    }
    if copies > 1 {
      let count = passed + 1
      // Fewer than expected: a subscriber has left. More, and twice as many alike: one has come.
      if count < copies || count == lastCount { copies = count }
      lastCount = count
      return []
    }
    let earlier = held
    held = []
    if earlier.isEmpty {
      held = Array(run.dropFirst())
      return []
    }
    if run.count > 1, earlier.count + 1 == run.count {
      copies = run.count
      dropped += earlier.count + run.count - 1
      return [first]
    }
    // They were notifications, and so is the first of this run, which waited behind them.
    held = Array(run.dropFirst())
    return earlier + [first]
  }
}

/// When a value was received, on both clocks.
struct Receipt: Hashable, Sendable {
  var boot: BootTime
  var time: ReceiptTime
}
