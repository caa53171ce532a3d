import Ingestion

/// A problem with the data that a monitor sends. The raw value is its name in `--json`.
public enum MonitorProblem: String, Codable, Sendable, CaseIterable {
  case repeatedIntervals = "repeated-intervals"
  case intervalSum = "interval-sum"
  case noContact = "no-contact"
}

/// Determines from a run's cumulative counts which problems a monitor currently has. A problem is over when
/// its count has not grown during the last ``window`` measurements.
public struct MonitorProblems: Sendable {
  /// The number of measurements after which a problem is over: ten minutes at one per second. It must exceed
  /// 120, because missing skin contact is counted only from the 120th measurement of a connection on.
  static let window = 600

  private struct Window {
    /// The count of the problem, and the number of measurements, at the start of the window.
    var amount: Int
    var measurements: Int
    /// Whether the count has grown in the last window.
    var isShown = true
  }

  private var windows: [MonitorProblem: Window] = [:]
  private var measurements = 0

  public init() {}

  public func contains(_ problem: MonitorProblem) -> Bool {
    // `intervalSum` needs no window, because the caller checks a ratio in the tally that covers only the last
    // ten minutes.
    problem == .intervalSum || windows[problem]?.isShown ?? false
  }

  mutating func update(with tally: MonitorTally) {
    // A decreased count means that the gateway of this store was restarted.
    if tally.measurements < measurements { windows = [:] }
    measurements = tally.measurements
    for (problem, amount) in [
      (.repeatedIntervals, tally.surplusIntervals), (.noContact, tally.withoutContact),
    ] as [(MonitorProblem, Int)] where amount > 0 {
      let isGrowing = windows[problem].map { amount > $0.amount } ?? true
      let isOver = windows[problem].map { measurements - $0.measurements >= Self.window } ?? true
      guard isGrowing || isOver else { continue }
      windows[problem] = Window(amount: amount, measurements: measurements, isShown: isGrowing)
    }
  }
}

/// The JSON is an array of the problems that the monitor currently has. A decoded problem lasts until a count
/// shows that it is over.
extension MonitorProblems: Codable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(MonitorProblem.allCases.filter { windows[$0]?.isShown ?? false })
  }

  public init(from decoder: any Decoder) throws {
    self.init()
    for problem in try decoder.singleValueContainer().decode([MonitorProblem].self) {
      windows[problem] = Window(amount: 0, measurements: 0)
    }
  }
}
