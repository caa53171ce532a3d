extension LipponenTarvainen {
  /// The series in which the paper draws its lines. Index *j* is of the interval that ends at beat *j*.
  struct Subspaces {
    /// Milliseconds. Before the first beat there is no interval: its place is taken by the mean.
    let intervals: [Double]
    /// The medians of the intervals around, in milliseconds.
    let medians: [Double]
    /// dRR, in thresholds.
    let differences: [Double]
    /// mRR, in thresholds.
    let deviations: [Double]
    /// Th2, in milliseconds.
    let deviationThresholds: [Double]
    /// s12: of the differences on both sides the greater where dRR is positive, the lesser where it is
    /// negative.
    let neighbours: [Double]
    /// s22: of the two differences that follow, the least where dRR is positive, the greatest where it is
    /// negative.
    let followers: [Double]

    init(of measured: [Double], limits: RangeLimits, by parameters: LipponenTarvainen) {
      let possible = measured.filter(limits.contains)
      let mean = possible.isEmpty ? 0 : possible.reduce(0, +) / Double(possible.count)
      intervals = [mean] + measured
      let intervals = intervals

      var steps = [0.0] + zip(measured, intervals).map { $0 - $1 }
      steps[0] = steps.dropFirst().reduce(0, +) / Double(steps.count - 1)
      let stepThresholds = parameters.thresholds(of: steps)
      let differences = zip(steps, stepThresholds).map { $0 / $1 }
      self.differences = differences

      medians = RollingOrder.map(intervals, width: parameters.medianWidth) { $0.quantile(0.5) }
      let distances = zip(intervals, medians).map { interval, median in
        interval < median ? 2 * (interval - median) : interval - median
      }
      deviationThresholds = parameters.thresholds(of: distances)
      deviations = zip(distances, deviationThresholds).map { $0 / $1 }

      // Beyond both ends the series is reflected.
      func difference(_ index: Int) -> Double {
        let last = differences.count - 1
        return differences[index < 0 ? -index : index > last ? 2 * last - index : index]
      }
      neighbours = differences.indices.map { index in
        let (before, after) = (difference(index - 1), difference(index + 1))
        let own = differences[index]
        return own > 0 ? max(before, after) : own < 0 ? min(before, after) : 0
      }
      followers = differences.indices.map { index in
        let (next, second) = (difference(index + 1), difference(index + 2))
        return differences[index] >= 0 ? min(next, second) : max(next, second)
      }
    }
  }

  /// α times the quartile deviation of the magnitudes around each.
  private func thresholds(of values: [Double]) -> [Double] {
    // A resolution of zero is allowed; a threshold of zero is not: it divides.
    let least = max(alpha * resolution, .leastNormalMagnitude)
    return RollingOrder.map(values.map(abs), width: thresholdWidth) { window in
      max(alpha * ((window.quantile(0.75) - window.quantile(0.25)) / 2), least)
    }
  }
}
