import HealthDataSync

/// What does not work, and that it works again.
extension RunEvent {
  /// The store does not take what was measured, or takes it again.
  struct Store: Told {
    let event = "store"
    var time: String
    /// How many samples wait in memory.
    var heldBack: Int
    /// How many measurements are lost, for memory has no room for them; absent where none is.
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

    /// What becomes of what is measured meanwhile.
    static func held(_ heldBack: Int, lost: Int, isOver: Bool = false) -> String {
      let waiting = Counted.text(heldBack, "sample waits", "samples wait")
      guard lost > 0 else { return waiting }
      return "\(waiting), \(Counted.text(lost, "measurement is", "measurements are")) lost"
        + (isOver ? "" : ", and so is what comes now")
    }
  }

  /// What follows the monitors does not answer, or answers again.
  struct Bus: Told {
    let event = "bus"
    var time: String
    var failure: String?

    var priority: JournalPriority { failure == nil ? .notice : .error }
    var text: String {
      line(time, failure.map { "the bus is not read: \($0)" } ?? "the bus is read again")
    }
  }

  /// The metrics are not written, or are again.
  struct Metrics: Told {
    let event = "metrics"
    var time: String
    var file: String
    var failure: String?

    init(_ news: MetricsNews) {
      time = Timestamp.text(news.time)
      file = news.path
      failure = news.failure
    }

    var priority: JournalPriority { failure == nil ? .notice : .warning }
    var text: String {
      line(
        time,
        failure.map { "metrics are not written: \($0); it is tried again" }
          ?? "metrics are written to \(file) again")
    }
  }

  /// A person's store cannot be used, so nothing of theirs is followed; it is tried again.
  struct Refused: Told {
    let event = "refused"
    var time: String
    var failure: String

    var priority: JournalPriority { .error }
    var text: String { line(time, "the store cannot be used: \(failure)") }
  }

  /// Figures cannot be derived from what is stored, or can be again.
  struct Derived: Told {
    let event = "derived"
    var time: String
    var failure: String?

    var priority: JournalPriority { failure == nil ? .notice : .warning }
    var text: String {
      line(time, failure.map { "figures cannot be derived: \($0)" } ?? "figures are derived again")
    }
  }

  /// Old samples cannot be packed, or can be again.
  struct Condensed: Told {
    let event = "condensed"
    var time: String
    var failure: String?

    var priority: JournalPriority { failure == nil ? .notice : .warning }
    var text: String {
      line(time, failure.map { "old samples are not packed: \($0)" } ?? "old samples are packed again")
    }
  }

  /// A packed hour cannot be read.
  struct Damaged: Told {
    let event = "damaged"
    var time: String
    /// Which, why, and what the user may do.
    var failure: String

    var priority: JournalPriority { .error }
    var text: String {
      line(time, "the store is damaged, and takes what is measured all the same: \(failure)")
    }
  }
}
