/// The cubic spline whose second derivative is zero at both ends.
enum NaturalSpline {
  /// The second derivatives at the knots, of which the spline is made.
  ///
  /// - Parameters:
  ///   - x: Ascending; no two alike.
  ///   - y: As many.
  static func curvatures(_ x: [Double], _ y: [Double]) -> [Double] {
    var curvatures = [Double](repeating: 0, count: x.count)
    guard x.count > 2 else { return curvatures }
    // Thomas's elimination; the matrix is diagonally dominant, so no pivot is small.
    var ratios = curvatures
    for index in 1..<x.count - 1 {
      let (before, after) = (x[index] - x[index - 1], x[index + 1] - x[index])
      let bend = (y[index + 1] - y[index]) / after - (y[index] - y[index - 1]) / before
      let pivot = 2 * (before + after) - before * ratios[index - 1]
      ratios[index] = after / pivot
      curvatures[index] = (6 * bend - before * curvatures[index - 1]) / pivot
    }
    for index in stride(from: x.count - 2, to: 0, by: -1) {
      curvatures[index] -= ratios[index] * curvatures[index + 1]
    }
    return curvatures
  }
}
