import Ingestion

extension MonitorTally {
  /// What is wrong with the intervals that the monitor sends, for a person, each with the name of its kind.
  var intervalNotices: [(kind: String, text: String)] {
    let monitor = "\(name.plain) (\(peripheral))"
    var notices: [(kind: String, text: String)] = []
    if surplusIntervals > 0 {
      notices.append(
        (
          "surplus",
          "\(monitor) repeats intervals: \(Counted.text(surplusIntervals, "interval")) add up to more than the time "
            + "that passed and are not used as RR intervals"
        ))
    }
    if let intervalRatio {
      let percent = (intervalRatio * 1000).rounded() / 10
      let isMilliseconds = abs(intervalRatio - 1000.0 / 1024) < 0.004
      notices.append(
        (
          "ratio",
          "the intervals of \(monitor) add up to \(percent) % of the time that passed: "
            + (isMilliseconds
              ? "it seems to send milliseconds instead of 1/1024 s"
              : intervalRatio < 1
                ? "beats are missing, or its clock is wrong" : "it repeats some, or its clock is wrong")
            + "; nothing was corrected"
        ))
    }
    return notices
  }
}
