import Gateway
import HealthDataSync

/// What `hrgate monitors gaps --json` prints of a time in which this machine's clock was ahead or behind. The
/// names are a promise.
struct ClockErrorLine: Encodable {
  /// In seconds; negative if the clock was behind.
  var clockAhead: Double
  /// By the clock as it was then.
  var start: String
  var end: String
  /// It was ahead by that at least.
  var atLeast: Bool

  init(_ error: ClockError) {
    clockAhead = error.ahead / .seconds(1)
    start = Timestamp.text(error.start)
    end = Timestamp.text(error.end)
    atLeast = error.isAtLeast
  }

  /// What a person is told when it becomes known.
  func setting(from start: String, to end: String) -> String {
    "the clock was set \(clockAhead < 0 ? "forward" : "back") by \(atLeast ? "at least " : "")"
      + "\(GapTable.text(abs(clockAhead))); "
      + "what was stored from \(start) to \(end) is marked"
  }

  var text: String {
    "the clock was \(atLeast ? "at least " : "")\(Int64(abs(clockAhead).rounded())) s "
      + "\(clockAhead < 0 ? "behind" : "ahead")  \(start)  \(end)  "
      + "what was stored then is marked: org.hrgate.clock-ahead"
  }
}
