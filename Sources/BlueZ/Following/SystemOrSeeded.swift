/// The chance of jitter: the system's, or in tests one that can be repeated (splitmix64).
struct SystemOrSeeded: RandomNumberGenerator, Sendable {
  private var state: UInt64?

  init(seed: UInt64?) { state = seed }

  mutating func next() -> UInt64 {
    guard let seed = state else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    state = seed &+ 0x9E37_79B9_7F4A_7C15
    var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
