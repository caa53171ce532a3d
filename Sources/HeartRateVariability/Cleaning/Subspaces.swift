extension LipponenTarvainen {
  /// The series to which the rules of Lipponen and Tarvainen apply. Index *j* belongs to the interval that
  /// ends at beat *j*.
  struct Subspaces {
    /// Intervals in milliseconds. No interval precedes the first beat, so the mean is used in its place.
    let intervals: [Double]
    /// Medians of the surrounding intervals in milliseconds.
    let medians: [Double]
    /// dRR, the difference from the previous interval, divided by its threshold Th1.
    let differences: [Double]
    /// mRR, the difference from the median (doubled if negative), divided by its threshold Th2.
    let deviations: [Double]
    /// The threshold Th2 in milliseconds.
    let deviationThresholds: [Double]
    /// s12: the greater of the dRR values before and after this one if this dRR is positive, or the lesser if
    /// it is negative.
    let neighbours: [Double]
    /// s22: the lesser of the two following dRR values if this dRR is positive, or the greater if it is
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

      // Mirror the series at both ends, because the neighbors of the first and the last value are needed.
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

  /// Returns the threshold for each value: α times the quartile deviation of the magnitudes around it.
  private func thresholds(of values: [Double]) -> [Double] {
    // The result must not be 0, even if `resolution` is: the caller divides by it.
    let least = max(alpha * resolution, .leastNormalMagnitude)
    return RollingOrder.map(values.map(abs), width: thresholdWidth) { window in
      max(alpha * ((window.quantile(0.75) - window.quantile(0.25)) / 2), least)
    }
  }
}
