import Ingestion

extension MonitorTally {
  /// A problem with what a monitor sends, for the user.
  struct Advice {
    /// The name of the problem, as in `--json`.
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
            "\(monitor) repeats intervals: \(Counted.text(surplusIntervals, "interval")) add up to more than "
            + "the time that passed and do not count as RR intervals"))
    } else if let intervalRatio {
      let percent = (intervalRatio * 1000).rounded() / 10
      advice.append(
        Advice(
          kind: "interval-sum",
          text:
            "the RR intervals of \(monitor) add up to \(percent) % of the time that passed: "
            + "\(explanation(of: intervalRatio)); nothing was corrected"))
    }
    if withoutContact > 0, !settings.ignoresSensorContact {
      advice.append(
        Advice(
          kind: "no-contact",
          text:
            "\(monitor) says that it has no contact during a whole connection, although "
            + "\(Counted.text(withoutContact, "heart rate")) with RR intervals look measured; they are not "
            + "stored. If it is worn, set: hrgate monitors set \(peripheral) --sensor-contact ignore"))
    }
    return advice
  }

  private func explanation(of ratio: Double) -> String {
    if settings.intervalUnit == .standard, abs(ratio - 1000.0 / 1024) < 0.004 {
      return "it seems to send milliseconds instead of 1/1024 s; if so, set: "
        + "hrgate monitors set \(peripheral) --interval-unit ms"
    }
    if settings.intervalUnit == .milliseconds, abs(ratio - 1024.0 / 1000) < 0.004 {
      return "it seems to send 1/1024 s, not milliseconds; if so, set: "
        + "hrgate monitors set \(peripheral) --interval-unit standard"
    }
    return ratio < 1
      ? "beats are missing, or the monitor's clock is slow"
      : "the monitor repeats intervals, or its clock is fast"
  }
}
