/// Quantiles of a window that moves over a series.
enum RollingOrder {
  /// The quantiles of the values around each value. At both ends the window has fewer.
  ///
  /// Between two values a quantile is interpolated linearly.
  ///
  /// - Parameters:
  ///   - fractions: 0 to 1.
  ///   - width: How many values a window has, in its middle the one it is of; an even one counts as one less.
  /// - Returns: For each fraction a series as long as the values.
  static func quantiles(_ fractions: [Double], of values: [Double], width: Int) -> [[Double]] {
    let half = width > 1 ? min((width - 1) / 2, values.count) : 0
    var window: [Double] = []
    window.reserveCapacity(2 * half + 2)
    var results = fractions.map { _ in
      var result: [Double] = []
      result.reserveCapacity(values.count)
      return result
    }
    for value in values.prefix(half) { window.insert(value, at: rank(of: value, in: window)) }
    for index in values.indices {
      if index + half < values.count {
        let value = values[index + half]
        window.insert(value, at: rank(of: value, in: window))
      }
      if index > half { window.remove(at: rank(of: values[index - half - 1], in: window)) }
      for (number, fraction) in fractions.enumerated() {
        let position = fraction * Double(window.count - 1)
        let lower = Int(position)
        let upper = min(lower + 1, window.count - 1)
        results[number].append(
          window[lower] + (window[upper] - window[lower]) * (position - Double(lower)))
      }
    }
    return results
  }

  /// How many values of a sorted window are less.
  private static func rank(of value: Double, in window: [Double]) -> Int {
    window.indices.firstByHalving { window[$0] >= value }
  }
}
