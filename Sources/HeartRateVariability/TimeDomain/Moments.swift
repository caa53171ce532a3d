extension Array where Element == Double {
  /// Zero of nothing.
  var mean: Double { isEmpty ? 0 : sum { $0 } / Double(count) }

  /// Divided by one less than there are; zero for fewer than two.
  var standardDeviation: Double { standardDeviation(about: mean) }

  /// - Parameter mean: Their mean, where it is known already.
  func standardDeviation(about mean: Double) -> Double {
    guard count > 1 else { return 0 }
    return (sum { ($0 - mean) * ($0 - mean) } / Double(count - 1)).squareRoot()
  }

  /// The sum of what a function makes of each, four at a time: an addition need not wait for the one before.
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
