/// The SplitMix64 generator. The same seed gives the same numbers on every machine.
///
/// Random distributions use only additions and multiplications. With logarithms or sines, beat times would
/// differ between machines, because C libraries differ in the last bit of these functions.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Creates a generator whose numbers are independent of those of other streams with the same seed.
  package init(seed: UInt64, stream: UInt64) {
    var seeds = SplitMix64(seed: seed)
    let own = seeds.next()
    var streams = SplitMix64(seed: own ^ stream)
    self.init(seed: streams.next())
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns a number from 0 up to but not including 1, in steps of 2⁻⁵³.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  package mutating func uniform(in range: Range<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * unit()
  }

  /// Returns an approximately normally distributed number with mean 0 and standard deviation 1, always within
  /// ±6: the sum of twelve uniform numbers, minus 6.
  package mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }
}
