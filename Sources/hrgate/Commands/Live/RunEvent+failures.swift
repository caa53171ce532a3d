import HealthDataSync

/// Events about failures and recoveries.
extension RunEvent {
  /// The store became unwritable, or writable again.
  struct Store: Printable {
    let event = "store"
    var time: String
    /// Number of samples in memory that are not committed yet.
    var heldBack: Int
    /// Number of measurements that were lost because memory was full; absent if there are none.
    var lost: Int?
    var failure: String?

    init(time: String, heldBack: Int, lost: Int, failure: String?) {
      self.time = time
      self.heldBack = heldBack
      self.lost = lost > 0 ? lost : nil
      self.failure = failure
    }

    var priority: JournalPriority { failure != nil ? .error : lost != nil ? .warning : .notice }
    var text: String {
      let state =
        failure.map { "the store cannot be written to: \($0)" } ?? "the store can be written to again"
      return line(time, state, Self.held(heldBack, lost: lost ?? 0, isOver: failure == nil))
    }

    /// Describes the measurements that are kept in memory or lost while commits fail.
    static func held(_ heldBack: Int, lost: Int, isOver: Bool = false) -> String {
      let waiting = Counted.text(heldBack, "sample waits", "samples wait")
      guard lost > 0 else { return waiting }
      return "\(waiting), \(Counted.text(lost, "measurement is", "measurements are")) lost"
        + (isOver ? "" : "; new measurements are lost too")
    }
  }

  /// The D-Bus connection stopped answering, or answers again.
  struct Bus: Printable {
    let event = "bus"
    var time: String
    var failure: String?

    var priority: JournalPriority { failure == nil ? .notice : .error }
    var text: String {
      line(time, failure.map { "the bus does not answer: \($0)" } ?? "the bus answers again")
    }
  }

  /// The metrics file became unwritable, or writable again.
  struct Metrics: Printable {
    let event = "metrics"
    var time: String
    var file: String
    var failure: String?

    init(_ update: MetricsUpdate) {
      time = Timestamp.text(update.time)
      file = update.path
      failure = update.failure
    }

    var priority: JournalPriority { failure == nil ? .notice : .warning }
    var text: String {
      line(
        time,
        failure.map { "metrics: \($0); hrgate retries" }
          ?? "metrics are written to \(file) again")
    }
  }

  /// A person's store cannot be used, so that person's monitors are not followed. The gateway retries.
  struct Refused: Printable {
    let event = "refused"
    var time: String
    var failure: String

    var priority: JournalPriority { .error }
    var text: String { line(time, "the store cannot be used: \(failure)") }
  }

  /// Heart-rate variability and resting heart rate cannot be computed, or are computed again after an error.
  struct Derived: Printable {
    let event = "derived"
    var time: String
    var failure: String?

    var priority: JournalPriority { failure == nil ? .notice : .warning }
    var text: String {
      line(
        time,
        failure.map { "heart-rate variability and resting heart rate cannot be computed: \($0)" }
          ?? "heart-rate variability and resting heart rate are computed again")
    }
  }

  /// Samples older than an hour cannot be compacted, or are compacted again after an error.
  struct Condensed: Printable {
    let event = "condensed"
    var time: String
    var failure: String?

    var priority: JournalPriority { failure == nil ? .notice : .warning }
    var text: String {
      line(
        time,
        failure.map { "samples older than an hour cannot be compressed to save space: \($0)" }
          ?? "samples older than an hour are compressed again")
    }
  }

  /// A segment (one hour of compacted samples of one type from one source) cannot be read.
  struct Damaged: Printable {
    let event = "damaged"
    var time: String
    /// Names the segment and the error, and says what the user can do.
    var failure: String

    var priority: JournalPriority { .error }
    var text: String {
      line(time, "the store is damaged; new measurements are still stored: \(failure)")
    }
  }
}
