import Bluetooth

/// Recognises the copies of a notification that other subscribers of the same characteristic cause.
///
/// bluetoothd signals a value once for each D-Bus client that has subscribed, and each signal reaches every client. So with a
/// second subscriber every notification comes twice, the copies right behind each other. A strap may send equal values in a burst as well, so equal and
/// close is not enough: copies are dropped only when *every* notification comes with as many.
///
/// While none are known of, an extra copy is held until the next notification shows whether it, too, comes twice. Then both are dropped, or the
/// held one is handed on in its place.
struct DuplicateFilter {
  struct Value: Hashable {
    var bytes: [UInt8]
    var receipt: Receipt
  }

  /// bluetoothd sends the copies of one notification from one callback; the time is room for a busy machine, where
  /// 35 ms lay between them. No strap measures ten times a second.
  static let spread = Duration.milliseconds(100)
  /// How long a copy may be held when nothing follows.
  static let patience = Duration.seconds(3)

  /// How often each notification is signalled.
  private(set) var copies = 1
  private(set) var dropped = 0
  private var run: [Value] = []
  /// How long the run before was, while copies are known of.
  private var lastCount = 0
  /// The run before, whose extra values wait for what this run shows.
  private var held: [Value] = []

  /// Takes one signalled value.
  ///
  /// - Returns: What is a notification of its own, oldest first.
  mutating func receive(_ value: Value) -> [Value] {
    if let first = run.first, let last = run.last, first.bytes == value.bytes,
      value.receipt.boot - last.receipt.boot <= Self.spread
    {
      run.append(value)
      return extend()
    }
    let before = closeRun()
    run = [value]
    // Behind something held nothing may pass.
    return before + (held.isEmpty ? [value] : [])
  }

  /// When ``flush(at:)`` has something to do.
  var deadline: BootTime? {
    guard isHolding else { return nil }
    return run.last.map { $0.receipt.boot + (held.isEmpty ? Self.patience : Self.spread) }
  }

  /// Decides about what is held, once its time has come.
  mutating func flush(at now: BootTime) -> [Value] {
    guard let deadline, deadline <= now else { return [] }
    return end()
  }

  /// The link ended: what is held is handed on.
  mutating func end() -> [Value] {
    let rest = closeRun() + held
    held = []
    run = []
    return rest
  }

  // MARK: - Steps

  private var isHolding: Bool { !held.isEmpty || (copies == 1 && run.count > 1) }

  /// The newest value of the run is a further copy of its first.
  private mutating func extend() -> [Value] {
    if copies > 1 {
      // One of each `copies` is a notification.
      if run.count % copies == 1 { return [run[run.count - 1]] }
      dropped += 1
    }
    return []
  }

  /// The run is over. Decides about the one before it, and about it as far as that can be.
  private mutating func closeRun() -> [Value] {
    guard let first = run.first else { return [] }
    defer { run = [] }
    if copies > 1 {
      // Fewer than expected: a subscriber has left. More, and twice as many alike: one has come.
      if run.count < copies || run.count == lastCount { copies = run.count }
      lastCount = run.count
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
