import Bluetooth

/// The due times of events at a given pace.
struct ReplaySchedule {
  private let pace: ReplayPace
  private var start: (time: ReceiptTime, instant: ContinuousClock.Instant)?

  init(pace: ReplayPace) { self.pace = pace }

  /// Maximum number of events per batch. A paced replay emits the events of each record when they are due.
  var batchLimit: Int { pace == .maximum ? 512 : 1 }

  /// Waits until a record is due.
  /// - Parameters:
  ///   - time: The time of the record.
  ///   - isStopRequested: Called several times per second, because a wait can take hours.
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

/// The speed of a replay.
public enum ReplayPace: Hashable, Sendable {
  /// As fast as the consumer requests events.
  case maximum
  /// A multiple of the recorded speed; 1 is real time.
  case multiple(Double)

  /// Parses `max`, `real` or a multiple such as `4x`, which must be finite and greater than zero.
  public init?(_ text: String) {
    switch text {
    case "max": self = .maximum
    case "real": self = .multiple(1)
    default:
      guard text.hasSuffix("x"), let factor = Double(text.dropLast()), factor.isFinite, factor > 0 else {
        return nil
      }
      self = .multiple(factor)
    }
  }

  /// Returns the delay of an event after the start of the replay, or nil if it is due immediately.
  /// - Parameter microseconds: The time of the event after the first one in the log.
  func delay(microseconds: Int64) -> Duration? {
    guard case .multiple(let factor) = self, microseconds > 0 else { return nil }
    return .seconds(min(Double(microseconds) / 1e6 / factor, 1e9))
  }
}
