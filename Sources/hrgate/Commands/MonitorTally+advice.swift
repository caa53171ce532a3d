import Ingestion

extension MonitorTally {
  /// A problem with what a monitor sends, for the user.
  struct Advice {
    /// The name of the kind, as in `--json`.
    var kind: String
    var text: String
  }

  /// The problems with what the monitor sends. None of them is corrected silently.
  var advice: [Advice] {
    let monitor = "\(name.plain) (\(peripheral))"
    var advice: [Advice] = []
    if surplusIntervals > 0 {
      advice.append(
        Advice(
          kind: "repeated-intervals",
          text:
            "\(monitor) repeats intervals: \(Counted.text(surplusIntervals, "interval")) add up to more than the "
            + "time that passed and do not count as RR intervals"))
    }
    return advice
  }
}
