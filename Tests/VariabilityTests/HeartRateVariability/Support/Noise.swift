import Foundation

/// A generator of random numbers with a seed (SplitMix64).
struct Noise: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// Returns a normally distributed number with mean 0 and deviation 1 (Box and Muller).
  mutating func normal() -> Double {
    let (one, other) = (
      Double.random(in: Double.ulpOfOne..<1, using: &self), Double.random(in: 0..<1, using: &self)
    )
    return (-2 * log(one)).squareRoot() * cos(2 * .pi * other)
  }

  mutating func normals(_ count: Int) -> [Double] { (0..<count).map { _ in normal() } }
}
