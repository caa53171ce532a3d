import Ingestion

/// A problem with what a monitor sends. The raw value is the name in `--json`.
public enum MonitorProblem: String, Sendable {
  case repeatedIntervals = "repeated-intervals"
  case intervalSum = "interval-sum"
  case noContact = "no-contact"
}

/// The problems that a monitor shows now, from the tallies of a running gateway. A tally counts since the
/// start of the run. A problem is over if its amount has not grown during a window of measurements.
public struct MonitorProblems: Sendable {
  /// The length of a window: ten minutes at one measurement a second. A link without contact is counted after
  /// 120 measurements.
  static let window = 600
  /// The least growth of the deviation in a window that is no effect of when frames arrive, as 0.25 % is.
  private static let leastDeviation = 1.5

  private struct Window {
    /// The amount of the problem and the number of measurements at the start.
    var amount: Double
    var measurements: Int
    /// Whether the amount grew in the last window.
    var isShown = true
  }

  private var windows: [MonitorProblem: Window] = [:]
  private var measurements = 0

  public init() {}

  public func contains(_ problem: MonitorProblem) -> Bool { windows[problem]?.isShown ?? false }

  mutating func update(with tally: MonitorTally) {
    // The gateway of this store was restarted.
    if tally.measurements < measurements { windows = [:] }
    measurements = tally.measurements
    for (problem, amount, leastGrowth) in Self.amounts(of: tally) {
      let isGrowing = windows[problem].map { amount >= $0.amount + leastGrowth } ?? true
      let isOver = windows[problem].map { measurements - $0.measurements >= Self.window } ?? true
      guard isGrowing || isOver else { continue }
      windows[problem] = Window(amount: amount, measurements: measurements, isShown: isGrowing)
    }
  }

  /// How much of each problem a tally has, and the least growth that counts.
  private static func amounts(of tally: MonitorTally) -> [(MonitorProblem, Double, Double)] {
    var amounts: [(MonitorProblem, Double, Double)] = []
    if tally.surplusIntervals > 0 { amounts.append((.repeatedIntervals, Double(tally.surplusIntervals), 1)) }
    if tally.withoutContact > 0 { amounts.append((.noContact, Double(tally.withoutContact), 1)) }
    if let ratio = tally.intervalRatio {
      // The ratio of the whole run changes slowly. The time by which the intervals deviate, in units of the
      // time between measurements, grows only as long as they deviate.
      amounts.append((.intervalSum, abs(ratio - 1) * Double(tally.measurements), leastDeviation))
    }
    return amounts
  }
}
