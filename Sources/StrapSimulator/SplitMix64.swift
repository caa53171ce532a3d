/// The SplitMix64 generator: the same seed gives the same numbers on every machine.
///
/// Numbers are shaped with additions and multiplications alone. Logarithms and sines differ in their last bit
/// between C libraries, and one bit can move a beat to another tick.
struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A generator whose numbers have nothing to do with those of another stream of the same seed.
  init(seed: UInt64, stream: UInt64) {
    var seeds = SplitMix64(seed: seed)
    let own = seeds.next()
    var streams = SplitMix64(seed: own ^ stream)
    self.init(seed: streams.next())
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// From 0 to below 1, in steps of 2⁻⁵³.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func uniform(in range: Range<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * unit()
  }

  /// Mean 0, standard deviation 1, and never beyond ±6: the sum of twelve uniform numbers less its mean.
  mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }
}
