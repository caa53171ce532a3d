/// When a simulated fault, such as a loss of contact, occurs.
public enum FaultPlan: Hashable, Sendable {
  case never
  /// At the given times in seconds since the start of the simulation, in ascending order.
  case at([Range<Double>])
  /// At random times, which depend on the seed. The duration is in seconds.
  case random(perHour: Double, lasting: Range<Double>)
}

/// The faults of a plan, queried at ascending times.
struct Faults: Sendable {
  private let plan: FaultPlan
  private var random: SplitMix64
  private var index = 0
  private var current: Range<Double>?

  init(_ plan: FaultPlan, random: SplitMix64) {
    self.plan = plan
    self.random = random
    current = next(after: 0)
  }

  /// Returns the fault at `time`, or `nil` without a fault.
  mutating func fault(at time: Double) -> Range<Double>? {
    while let fault = current, fault.upperBound <= time { current = next(after: fault.upperBound) }
    guard let current, current.contains(time) else { return nil }
    return current
  }

  private mutating func next(after time: Double) -> Range<Double>? {
    switch plan {
    case .never:
      return nil
    case .at(let faults):
      defer { index += 1 }
      return faults.indices.contains(index) ? faults[index] : nil
    case .random(let perHour, let lasting):
      guard perHour > 0 else { return nil }
      // Start each fault 0.5 to 1.5 times the mean spacing after the previous one. Faults then do not
      // overlap, and their rate is as requested.
      let spacing = 3600 / perHour
      let start = time + spacing * random.uniform(in: 0.5..<1.5)
      return start..<start + random.uniform(in: lasting)
    }
  }
}
