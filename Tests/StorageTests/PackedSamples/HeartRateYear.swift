@testable import PackedSamples
@testable import TestSupport

/// Generates heart rates at 1 Hz as a host receives them: the rate varies around the load of the hour, and a
/// notification is sent at the next connection event and read some tenths of a millisecond later.
///
/// Some notifications are missing or sent twice, and the link is lost for two minutes in each hour.
struct HeartRateYear {
  /// Time between connection events in microseconds: the usual connection interval of BlueZ.
  private static let interval: Int64 = 48_750
  /// Error of the strap's clock: a second of the strap is too long by this number of microseconds.
  private static let drift: Int64 = 20

  private var generator: SeededGenerator
  private var second: Int64 = 0
  private var change: Int64 = 0
  private var rate = 62.0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns the next hour of a strap.
  /// - Parameter straps: The number of straps whose samples are stored in turn.
  mutating func hour(straps: Int64 = 1) -> SampleBlock {
    var block = SampleBlock(reservingCapacity: 3600)
    let load = Double.random(in: 50...150, using: &generator)
    for place in 0..<3600 {
      second += 1
      rate += (load - rate) * 0.01 + Double.random(in: -1.2...1.2, using: &generator)
      change += straps == 1 ? 1 : Int64.random(in: straps - 1...straps + 1, using: &generator)
      let isLost = Int.random(in: 0..<500, using: &generator) == 0 || (1800..<1920).contains(place)
      guard !isLost else { continue }
      block.append(
        start: receipt(), duration: 0, value: min(max(rate.rounded(), 40), 200), change: change,
        identity: .derived(occurrence: 0))
    }
    return block
  }

  private mutating func receipt() -> Int64 {
    let measured = 1_700_000_000_000_000 + second * (1_000_000 + Self.drift)
    let event = (measured / Self.interval + 1) * Self.interval
    let sentAgain = Int.random(in: 0..<30, using: &generator) == 0 ? Self.interval : 0
    let read = Int64.random(in: 100...350, using: &generator) + Int64.random(in: 0...250, using: &generator)
    let isBusy = Int.random(in: 0..<100, using: &generator) == 0
    return event + sentAgain + read + (isBusy ? Int64.random(in: 0...5000, using: &generator) : 0)
  }
}
