import Bluetooth

/// When events of a log are due at a given pace.
struct ReplaySchedule {
  private let pace: ReplayPace
  private var start: (time: ReceiptTime, instant: ContinuousClock.Instant)?

  init(pace: ReplayPace) { self.pace = pace }

  /// A paced replay hands out each record's events when they are due; an unpaced one as many as fit a batch.
  var batchLimit: Int { pace == .maximum ? 512 : 1 }

  mutating func wait(until time: ReceiptTime) async throws {
    guard pace != .maximum else { return }
    guard let start else {
      start = (time, .now)
      return
    }
    guard let delay = pace.delay(microseconds: time.microseconds(since: start.time)) else { return }
    try await Task.sleep(until: start.instant + delay, clock: .continuous)
  }
}
