import Gateway
import Ingestion

/// A problem with what a monitor sends, as a sentence for the user.
struct MonitorAdvice: Hashable, Sendable {
  var problem: MonitorProblem
  var text: String
}

extension MonitorTally {
  /// Returns the problems with the data that the monitor has sent since the start of the run or recording.
  /// The sentences contain no count that grows with each measurement, because every change of a sentence
  /// causes a D-Bus signal.
  ///
  /// - Parameter person: The person in whose store the monitor is enrolled; `nil` for the account owner.
  func advice(of person: String? = nil) -> [MonitorAdvice] {
    let monitor = "\(name.plain) (\(peripheral))"
    var advice: [MonitorAdvice] = []
    if surplusIntervals > 0 {
      advice.append(
        MonitorAdvice(
          problem: .repeatedIntervals,
          text:
            "\(monitor) sends RR intervals that add up to more than the elapsed time, probably repeated ones; "
            + "the surplus is not stored"))
    }
    if let intervalRatio {
      let percent = (intervalRatio * 1000).rounded() / 10
      advice.append(
        MonitorAdvice(
          problem: .intervalSum,
          text: "the RR intervals of \(monitor) add up to \(percent) % of the elapsed time: "
            + "\(explanation(of: intervalRatio, person)); nothing was corrected"))
    }
    if withoutContact > 0, !settings.ignoresSensorContact {
      advice.append(
        MonitorAdvice(
          problem: .noContact,
          text:
            "\(monitor) reports no skin contact during a whole connection, although its heart rates and RR "
            + "intervals look valid; they are not stored. If it is worn, set: "
            + command(person, "--sensor-contact ignore")))
    }
    return advice
  }

  private func explanation(of ratio: Double, _ person: String?) -> String {
    if settings.intervalUnit == .standard, abs(ratio - 1000.0 / 1024) < 0.004 {
      return "it seems to send milliseconds instead of 1/1024 s; if so, set: "
        + command(person, "--interval-unit ms")
    }
    if settings.intervalUnit == .milliseconds, abs(ratio - 1024.0 / 1000) < 0.004 {
      return "it seems to send 1/1024 s, not milliseconds; if so, set: "
        + command(person, "--interval-unit standard")
    }
    return ratio < 1
      ? "beats are missing, or the monitor's clock is slow"
      : "the monitor repeats intervals, or its clock is fast"
  }

  private func command(_ person: String?, _ option: String) -> String {
    "hrgate monitors set \(peripheral) \(option)" + (person.map { " --person \($0.shellWord)" } ?? "")
  }
}
