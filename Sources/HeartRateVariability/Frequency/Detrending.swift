/// What is taken away before a spectrum is made, so that it does not leak into every frequency.
public enum Detrending: Hashable, Sendable {
  /// The mean.
  case constant
  /// The straight line of least squares.
  case linear

  /// The values without their trend. Where all that is left is what rounding leaves, zeros.
  func detrended(_ values: [Double], at times: [Double]) -> [Double] {
    let count = Double(values.count)
    guard count > 0 else { return [] }
    let mean = values.mean
    var slope = 0.0
    let middle = times.mean
    if self == .linear {
      var (products, squares) = (0.0, 0.0)
      for (value, time) in zip(values, times) {
        products += (time - middle) * (value - mean)
        squares += (time - middle) * (time - middle)
      }
      if squares > 0 { slope = products / squares }
    }
    let rest = zip(values, times).map { $0 - mean - slope * ($1 - middle) }
    let squares = rest.reduce(0) { $0 + $1 * $1 }
    let rounding = 1e-12 * abs(mean)
    return squares > count * rounding * rounding ? rest : Array(repeating: 0, count: values.count)
  }
}
