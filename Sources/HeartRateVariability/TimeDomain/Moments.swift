extension Array where Element == Double {
  /// The mean, or 0 for an empty array.
  var mean: Double { isEmpty ? 0 : sum { $0 } / Double(count) }

  /// The standard deviation with the number of values minus one as divisor, or 0 for fewer than two.
  var standardDeviation: Double { standardDeviation(about: mean) }

  /// Returns the standard deviation with the number of values minus one as divisor.
  ///
  /// - Parameter mean: The mean of the values.
  func standardDeviation(about mean: Double) -> Double {
    guard count > 1 else { return 0 }
    return (sum { ($0 - mean) * ($0 - mean) } / Double(count - 1)).squareRoot()
  }

  /// Returns the sum of a function's results. Keeps four partial sums, so that an addition does not have to
  /// wait for the previous one.
  @inline(__always) func sum(_ transform: (SIMD4<Double>) -> SIMD4<Double>) -> Double {
    withUnsafeBufferPointer { values in
      var lanes = SIMD4<Double>.zero
      var index = 0
      while index + 4 <= values.count {
        lanes += transform(SIMD4(values[index], values[index + 1], values[index + 2], values[index + 3]))
        index += 4
      }
      var sum = lanes.sum()
      while index < values.count {
        sum += transform(SIMD4(repeating: values[index]))[0]
        index += 1
      }
      return sum
    }
  }
}
