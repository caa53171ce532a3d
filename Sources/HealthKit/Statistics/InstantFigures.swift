import HealthStorage

/// The figures of instantaneous samples of one source that follow one another, worked out at once, by the
/// rules of `AverageWeighting`. What the samples before and after them decide is left open.
struct InstantFigures: Sendable {
  let count: Int
  /// The start of the first sample and of the last, in microseconds.
  let first: Int64
  let last: Int64
  /// The start of the last sample but one.
  let beforeLast: Int64?
  let latest: Double
  private(set) var least: Double
  private(set) var greatest: Double
  /// Of the samples whose weights are known: all but the last, and but the first where it is lone.
  private(set) var sum = 0.0
  private(set) var weight = 0.0
  private(set) var plainSum = 0.0
  private(set) var weighed = 0
  /// The first sample where a gap follows it: what came before decides its weight.
  private(set) var lone: (value: Double, next: Int64)?

  /// - Returns: nil where it is not the values themselves whose mean is taken.
  init?(_ part: PackedInstants.Part, _ weighting: AverageWeighting) {
    guard weighting.averagesPlainly, let first = part.starts.first, let last = part.starts.last,
      let latest = part.values.last
    else { return nil }
    count = part.starts.count
    (self.first, self.last, self.latest) = (first, last, latest)
    beforeLast = part.starts.dropLast().last
    (least, greatest) = (latest, latest)
    part.starts.withUnsafeBufferPointer { starts in
      part.values.withUnsafeBufferPointer { values in
        if weighting.isTemporal { addHolding(starts, values) } else { addPlainly(values) }
      }
    }
  }

  private mutating func addPlainly(_ values: UnsafeBufferPointer<Double>) {
    for value in values {
      if value < least { least = value }
      if value > greatest { greatest = value }
      plainSum += value
    }
    (sum, weight, weighed) = (plainSum, Double(count), count)
  }

  private mutating func addHolding(
    _ starts: UnsafeBufferPointer<Int64>, _ values: UnsafeBufferPointer<Double>
  ) {
    // Of their own: what is kept in a structure is written each time.
    var (least, greatest, sum, plainSum, time) = (least, greatest, 0.0, 0.0, Int64(0))
    for place in 1..<max(count, 1) {
      let value = values[place - 1]
      if value < least { least = value }
      if value > greatest { greatest = value }
      var hold = starts[place] - starts[place - 1]
      if hold > AverageWeighting.longestHold {
        guard place > 1 else {
          lone = (value, starts[place])
          continue
        }
        hold = AverageWeighting.hold(
          of: starts[place - 1], after: starts[place - 2], before: starts[place])
      }
      time += hold
      sum += value * Double(hold)
      plainSum += value
    }
    (self.least, self.greatest, self.sum, self.plainSum) = (least, greatest, sum, plainSum)
    weight = Double(time)
    weighed = count - (lone == nil ? 1 : 2)
  }
}
