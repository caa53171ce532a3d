/// The NN intervals of a run (consecutive beats without a gap or artifact), each with the time of the beat
/// that ends it.
struct Tachogram {
  /// The times of the beats, in seconds since the first one.
  let times: [Double]
  /// NN intervals in milliseconds.
  let values: [Double]

  init(_ series: NNSeries, _ run: Range<Int>) {
    values = Array(series.intervals[run])
    // Sum the intervals: the times of the series may be large and therefore less exact.
    var sum = 0.0
    times = values.enumerated().map { index, value in
      if index > 0 { sum += value }
      return sum / 1000
    }
  }

  /// Returns interpolated values at equal time steps from the first beat to the last.
  func resampled(_ parameters: Welch) -> [Double] {
    guard let end = times.last, times.count >= 2 else { return [] }
    let curvatures = parameters.interpolation == .cubic ? NaturalSpline.curvatures(times, values) : nil
    let count = Int(end * parameters.rate) + 1
    var samples: [Double] = []
    samples.reserveCapacity(count)
    var piece = 0
    for number in 0..<count {
      let time = Double(number) / parameters.rate
      while piece + 2 < times.count, times[piece + 1] < time { piece += 1 }
      let width = times[piece + 1] - times[piece]
      let right = (time - times[piece]) / width
      let left = 1 - right
      var value = left * values[piece] + right * values[piece + 1]
      if let curvatures {
        value +=
          ((left * left * left - left) * curvatures[piece] + (right * right * right - right)
            * curvatures[piece + 1])
          * width * width / 6
      }
      samples.append(value)
    }
    return samples
  }
}

/// Computes a cubic spline whose second derivative is zero at both ends.
enum NaturalSpline {
  /// Returns the second derivatives at the knots, which define the spline.
  ///
  /// - Parameters:
  ///   - x: Strictly ascending values.
  ///   - y: One value for each x.
  static func curvatures(_ x: [Double], _ y: [Double]) -> [Double] {
    var curvatures = [Double](repeating: 0, count: x.count)
    guard x.count > 2 else { return curvatures }
    // Thomas's algorithm. The matrix is diagonally dominant, so no pivot is small.
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
