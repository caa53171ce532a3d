import Bluetooth

/// When events of a log are due at a given pace.
struct ReplaySchedule {
  private let pace: ReplayPace
  private var start: (time: ReceiptTime, instant: ContinuousClock.Instant)?

  init(pace: ReplayPace) { self.pace = pace }

  /// A paced replay hands out each record's events when they are due; an unpaced one as many as fit a batch.
  var batchLimit: Int { pace == .maximum ? 512 : 1 }

  /// - Parameter isStopRequested: Asked several times a second; a wait may be hours.
  mutating func wait(until time: ReceiptTime, isStopRequested: () -> Bool) async throws {
    guard pace != .maximum else { return }
    guard let start else {
      start = (time, .now)
      return
    }
    guard let delay = pace.delay(microseconds: time.microseconds(since: start.time)) else { return }
    let due = start.instant + delay
    while !isStopRequested(), ContinuousClock.now < due {
      try await Task.sleep(until: min(due, .now + .milliseconds(100)), clock: .continuous)
    }
  }
}
