import ArgumentParser
import Foundation
import HealthDataSync
import HeartRateVariability

extension RRTool: ExpressibleByArgument {}

extension RRText {
  /// Notices about omitted intervals.
  var notices: [String] {
    var notices = [
      ("left out because they are artifacts (not real heartbeat intervals)", artefacts),
      ("left out because they overlap with others", overlapping),
    ].filter { $0.1 > 0 }.map { "\($0): \(Counted.text($1, "interval"))" }
    if let stretch {
      let times = [stretch.lowerBound, stretch.upperBound].map {
        Timestamp.text(Date(timeIntervalSince1970: $0))
      }
      notices.append(
        "this format cannot express gaps, so only the longest part without one is written, from \(times[0]) to "
          + "\(times[1]); left out: \(Counted.text(others, "interval")), which you can select with --from and --to"
      )
    }
    return notices
  }
}
