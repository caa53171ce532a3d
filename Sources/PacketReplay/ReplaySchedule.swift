import Bluetooth

/// Determines when each event is delivered, at a given replay speed.
struct ReplaySchedule {
  private let pace: ReplayPace
  private var start: (time: ReceiptTime, instant: ContinuousClock.Instant)?

  init(pace: ReplayPace) { self.pace = pace }

  /// Maximum number of events per batch. Unless the speed is `maximum`, each event is delivered when it is
  /// due.
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
  /// As fast as the events are requested.
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

  /// Returns when an event is due, counted from the start of the replay; `nil` if it is due immediately.
  /// - Parameter microseconds: The time from the first event in the log to this one.
  func delay(microseconds: Int64) -> Duration? {
    guard case .multiple(let factor) = self, microseconds > 0 else { return nil }
    return .seconds(min(Double(microseconds) / 1e6 / factor, 1e9))
  }
}
