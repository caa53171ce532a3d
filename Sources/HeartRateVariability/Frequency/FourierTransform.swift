import Glibc

/// The fast Fourier transform of Cooley and Tukey, for a number of values that is a power of two.
struct FourierTransform {
  private let count: Int
  private let cosines: [Double]
  private let sines: [Double]

  /// Creates a transform.
  ///
  /// - Parameter count: The number of values, a power of two.
  init(count: Int) {
    precondition(count > 1 && count.nonzeroBitCount == 1, "a Fourier transform of a power of two")
    self.count = count
    cosines = (0..<count / 2).map { cos(2 * .pi * Double($0) / Double(count)) }
    sines = (0..<count / 2).map { -sin(2 * .pi * Double($0) / Double(count)) }
  }

  /// Returns |X(k)|² for the `count`/2 + 1 frequencies from zero to the highest.
  func squaredMagnitudes(of values: [Double]) -> [Double] {
    var (real, imaginary) = (reordered(values), [Double](repeating: 0, count: count))
    var half = 1
    while half < count {
      let stride = count / (2 * half)
      for start in Swift.stride(from: 0, to: count, by: 2 * half) {
        for offset in 0..<half {
          let (c, s) = (cosines[offset * stride], sines[offset * stride])
          let (even, odd) = (start + offset, start + offset + half)
          let turned = (real[odd] * c - imaginary[odd] * s, real[odd] * s + imaginary[odd] * c)
          (real[odd], imaginary[odd]) = (real[even] - turned.0, imaginary[even] - turned.1)
          (real[even], imaginary[even]) = (real[even] + turned.0, imaginary[even] + turned.1)
        }
      }
      half *= 2
    }
    return (0...count / 2).map { real[$0] * real[$0] + imaginary[$0] * imaginary[$0] }
  }

  /// Returns the values in bit-reversed order.
  private func reordered(_ values: [Double]) -> [Double] {
    let shift = UInt.bitWidth - count.trailingZeroBitCount
    return (0..<count).map { index in
      let source = Int(reversed(UInt(index)) >> UInt(shift))
      return source < values.count ? values[source] : 0
    }
  }

  private func reversed(_ bits: UInt) -> UInt {
    var (bits, result) = (bits, UInt(0))
    for _ in 0..<UInt.bitWidth {
      result = result << 1 | bits & 1
      bits >>= 1
    }
    return result
  }
}
