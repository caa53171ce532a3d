@testable import PackedSamples
@testable import TestSupport

/// Generates valid segments of all shapes. Equal seeds give equal segments.
struct RandomBlock {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func next() -> SampleBlock {
    let count = pick([1, 2, 3, 127, 128, 129, 130, 257, Int.random(in: 1...700, using: &generator)])
    let starts = (0..<count).map { _ in start() }.sorted()
    let durations = pick([0, 1, 2])
    let values = pick([0, 1, 2, 3])
    let changes = pick([0, 1, 2])
    let identities = pick([0, 1])
    let decimals = Double(pick([1, 10, 1000]))
    var block = SampleBlock()
    for place in 0..<count {
      block.append(
        start: steadily ? -5_000_000_000_000 + Int64(place) * 1_000_000 : starts[place],
        duration: duration(durations), value: value(values, decimals),
        change: changes == 0 ? 7 + 3 * Int64(place) : change(changes),
        identity: identities == 0 ? .derived(occurrence: 0) : identity())
    }
    steadily.toggle()
    block.monitor = pick([nil, "", "F0:0D:BE:A7:01:01"])
    return block
  }

  private var steadily = false

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &generator)]
  }

  private mutating func start() -> Int64 {
    // Some starts are equal, and some are at the limits of the integer range.
    switch Int.random(in: 0..<50, using: &generator) {
    case 0: .min
    case 1: .max - 5
    case 2...10: 1_700_000_000_000_000
    default: 1_700_000_000_000_000 + Int64.random(in: -4_000_000_000...4_000_000_000, using: &generator)
    }
  }

  private mutating func duration(_ kind: Int) -> Int64 {
    kind == 0 ? 0 : Int64.random(in: 0...(kind == 1 ? 5 : 1), using: &generator)
  }

  private mutating func value(_ kind: Int, _ decimals: Double) -> Double {
    switch kind {
    case 0: Double(Int.random(in: 40...200, using: &generator))
    case 1: Double(Int.random(in: -5000...5000, using: &generator)) / decimals
    case 2: Double.random(in: -1e9...1e9, using: &generator)
    default:
      pick([
        0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p53, 0x1p53 + 2,
        -0x1p53, 1, 0.1 + 0.2,
      ])
    }
  }

  private mutating func change(_ kind: Int) -> Int64 {
    kind == 1
      ? Int64.random(in: 1...1_000_000, using: &generator) : pick([1, .max, 77, Int64.max / 2 + 3])
  }

  private mutating func identity() -> PackedIdentity {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: .derived(occurrence: UInt32.random(in: 1...9, using: &generator))
    case 1: .derived(occurrence: .max)
    case 2:
      .hashed(
        high: UInt16.random(in: 0...PackedIdentity.greatestHigh, using: &generator),
        low: UInt64.random(in: 0...PackedIdentity.greatestLow, using: &generator))
    case 3: .whole(high: generator.next(), low: generator.next())
    default: .derived(occurrence: 0)
    }
  }
}
