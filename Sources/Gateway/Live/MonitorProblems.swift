import Ingestion

/// A problem with what a monitor sends. The raw value is the name in `--json`.
public enum MonitorProblem: String, Codable, Sendable, CaseIterable {
  case repeatedIntervals = "repeated-intervals"
  case intervalSum = "interval-sum"
  case noContact = "no-contact"
}

/// The problems that a monitor shows now, from the tallies of a running gateway. A tally counts since the
/// start of the run. A problem is over if its count has not grown during a window of measurements.
public struct MonitorProblems: Sendable {
  /// The length of a window: ten minutes at one measurement a second. A link without contact is counted after
  /// 120 measurements.
  static let window = 600

  private struct Window {
    /// The amount of the problem and the number of measurements at the start.
    var amount: Int
    var measurements: Int
    /// Whether the amount grew in the last window.
    var isShown = true
  }

  private var windows: [MonitorProblem: Window] = [:]
  private var measurements = 0

  public init() {}

  public func contains(_ problem: MonitorProblem) -> Bool {
    // The interval sum is the ratio of the last ten minutes, and absent from the tally if it is right.
    problem == .intervalSum || windows[problem]?.isShown ?? false
  }

  mutating func update(with tally: MonitorTally) {
    // The gateway of this store was restarted.
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

/// In JSON, the array of the problems that the monitor shows now. Decoded ones last until a tally shows that
/// they are over.
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
