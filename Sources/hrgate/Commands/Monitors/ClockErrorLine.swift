import Gateway
import HealthDataSync

/// The JSON object that `hrgate monitors gaps --json` prints for a time in which this machine's clock was
/// ahead or behind. The names are stable.
struct ClockErrorLine: Encodable {
  /// In seconds; negative if the clock was behind.
  var clockAhead: Double
  /// Start, by the wrong clock.
  var start: String
  var end: String
  /// Whether `clockAhead` is a lower bound.
  var atLeast: Bool

  init(_ error: ClockError) {
    clockAhead = error.ahead / .seconds(1)
    start = Timestamp.text(error.start)
    end = Timestamp.text(error.end)
    atLeast = error.isAtLeast
  }

  /// The message when the clock change is detected.
  func setting(from start: String, to end: String) -> String {
    "the clock was set \(clockAhead < 0 ? "forward" : "back") by \(atLeast ? "at least " : "")"
      + "\(GapTable.text(abs(clockAhead))); "
      + "samples stored from \(start) to \(end) are marked"
  }

  var text: String {
    "the clock was \(atLeast ? "at least " : "")\(Int64(abs(clockAhead).rounded())) s "
      + "\(clockAhead < 0 ? "behind" : "ahead")  \(start)  \(end)  "
      + "samples stored then are marked: org.hrgate.clock-ahead"
  }
}
