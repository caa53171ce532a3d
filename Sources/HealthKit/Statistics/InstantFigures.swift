import HealthStorage

/// The statistics of consecutive instantaneous samples of one source, computed in one pass by the rules of
/// `AverageWeighting`.
///
/// The sums and weights do not include samples whose weight depends on a sample before the first or after the
/// last one.
struct InstantFigures: Sendable {
  let count: Int
  /// The starts of the first and the last sample, in microseconds.
  let first: Int64
  let last: Int64
  /// The start of the sample before the last one.
  let beforeLast: Int64?
  let latest: Double
  private(set) var least: Double
  private(set) var greatest: Double
  /// The weighted sum of the samples whose weights are known. These are all except for the last one and the
  /// `lone` one.
  private(set) var sum = 0.0
  private(set) var weight = 0.0
  private(set) var plainSum = 0.0
  private(set) var weighed = 0
  /// The first sample, if a gap follows it. Its weight depends on a sample before it.
  private(set) var lone: (value: Double, next: Int64)?

  /// Computes the statistics of samples. Returns nil for sound levels, whose average is not the mean of their
  /// values.
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
    // Use local variables, because updating the properties would write to memory for each sample.
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
