/// Sums over the differences between consecutive NN intervals.
struct Differences {
  /// The sum of squares in ms².
  let squares: Double
  /// The standard deviation in milliseconds, with the number of differences minus one as divisor. It is 0 for
  /// fewer than two.
  let standardDeviation: Double
  let above50: Int
  let above20: Int

  /// Computes the sums in two passes. Recomputing the differences, four at a time, is cheaper than storing
  /// them.
  init(of series: NNSeries) {
    var (sum, squares, above50, above20) = (0.0, 0.0, 0, 0)
    series.forEachRun { values in
      let parts = values.sumsOfDifferences
      (sum, squares) = (sum + parts.sum, squares + parts.squares)
      (above50, above20) = (above50 + parts.above50, above20 + parts.above20)
    }
    (self.squares, self.above50, self.above20) = (squares, above50, above20)
    let count = Double(series.differenceCount)
    guard count > 1 else {
      standardDeviation = 0
      return
    }
    let mean = sum / count
    var spread = 0.0
    series.forEachRun { spread += $0.squaredDistancesOfDifferences(from: mean) }
    standardDeviation = (spread / (count - 1)).squareRoot()
  }
}

extension NNSeries {
  fileprivate func forEachRun(_ take: (UnsafeBufferPointer<Double>) -> Void) {
    intervals.withUnsafeBufferPointer { intervals in
      for run in runs { take(UnsafeBufferPointer(rebasing: intervals[run])) }
    }
  }
}

extension UnsafeBufferPointer<Double> {
  /// Adds up the differences between consecutive intervals, four at a time.
  fileprivate struct Sums {
    var sum = SIMD4<Double>.zero
    var squares = SIMD4<Double>.zero
    var above50 = SIMD4<Double>.zero
    var above20 = SIMD4<Double>.zero

    @inline(__always) mutating func add(_ differences: SIMD4<Double>) {
      let square = differences * differences
      sum += differences
      squares += square
      // Compare the squares: a magnitude is above 50 exactly if its square is above 2500, even with rounding.
      above50 += Self.ones(where: square .> 2500)
      above20 += Self.ones(where: square .> 400)
    }

    private static func ones(where holds: SIMDMask<SIMD4<Int64>>) -> SIMD4<Double> {
      SIMD4.zero.replacing(with: 1, where: holds)
    }
  }

  fileprivate var sumsOfDifferences: (sum: Double, squares: Double, above50: Int, above20: Int) {
    var sums = Sums()
    var index = 1
    while index + 4 <= count {
      sums.add(fourDifferences(at: index))
      index += 4
    }
    var rest = Sums()
    while index < count {
      rest.add(SIMD4(self[index] - self[index - 1], 0, 0, 0))
      index += 1
    }
    return (
      sums.sum.sum() + rest.sum[0], sums.squares.sum() + rest.squares[0],
      Int(sums.above50.sum() + rest.above50[0]), Int(sums.above20.sum() + rest.above20[0])
    )
  }

  fileprivate func squaredDistancesOfDifferences(from mean: Double) -> Double {
    var squares = SIMD4<Double>.zero
    var index = 1
    while index + 4 <= count {
      let distances = fourDifferences(at: index) - mean
      squares += distances * distances
      index += 4
    }
    var sum = squares.sum()
    while index < count {
      let distance = self[index] - self[index - 1] - mean
      sum += distance * distance
      index += 1
    }
    return sum
  }

  @inline(__always) private func fourDifferences(at index: Int) -> SIMD4<Double> {
    SIMD4(self[index], self[index + 1], self[index + 2], self[index + 3])
      - SIMD4(self[index - 1], self[index], self[index + 1], self[index + 2])
  }
}
