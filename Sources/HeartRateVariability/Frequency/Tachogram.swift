/// The NN intervals of a run over the time, each at the beat that ends it.
struct Tachogram {
  /// Seconds since the run's first value.
  let times: [Double]
  /// Milliseconds.
  let values: [Double]

  init(_ series: NNSeries, _ run: Range<Int>) {
    values = Array(series.intervals[run])
    // Summed anew: the times of the series may be far from zero, and lose what parts two beats.
    var sum = 0.0
    times = values.enumerated().map { index, value in
      if index > 0 { sum += value }
      return sum / 1000
    }
  }

  /// The values at equal steps, from the first beat to the last.
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
