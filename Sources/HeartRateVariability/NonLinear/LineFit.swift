import Glibc

/// The line of least squares through values at equal steps.
enum LineFit {
  /// The sum of the squared distances of some of the values from their line.
  static func squaredDistances(of values: [Double], _ start: Int, _ count: Int) -> Double {
    let n = Double(count)
    let middle = (n - 1) / 2
    // From the first value, so that squares of large sums are not subtracted from one another.
    let first = values[start]
    var (sum, squares, products) = (0.0, 0.0, 0.0)
    for offset in 0..<count {
      let value = values[start + offset] - first
      sum += value
      squares += value * value
      products += (Double(offset) - middle) * value
    }
    let spread = n * (n * n - 1) / 12
    return max(squares - sum * sum / n - products * products / spread, 0)
  }
}

/// A power law's exponent.
enum DoubleLogarithm {
  /// The slope of the values' logarithms over those of the scales, by least squares.
  ///
  /// - Parameter values: Above zero, one for each scale.
  static func slope(of values: [Double], over scales: ClosedRange<Int>) -> Double {
    let x = scales.map { log(Double($0)) }
    let y = values.map { log($0) }
    let (meanX, meanY) = (x.mean, y.mean)
    var (products, squares) = (0.0, 0.0)
    for (x, y) in zip(x, y) {
      products += (x - meanX) * (y - meanY)
      squares += (x - meanX) * (x - meanX)
    }
    return products / squares
  }
}
