import Testing

@testable import HealthKit
@testable import TestSupport

@Suite struct TemporalWeightsTests {
  private static let second: Int64 = 1_000_000

  private func weights(of starts: [Int64]) -> [Double] {
    var weights = TemporalWeights<Int>(sourceCount: 1)
    var found: [Double] = []
    for (place, start) in starts.enumerated() {
      if let weighed = weights.follow(start, of: 0, waiting: (Double(place), place)) {
        #expect(weighed.place == found.count)
        #expect(weighed.value == Double(found.count))
        found.append(weighed.weight)
      }
    }
    if let last = weights.finish(0) { found.append(last.weight) }
    return found
  }

  @Test func `a sample counts until the next, and the last as long as the one before`() {
    #expect(weights(of: [0, 1, 3, 4].map { $0 * Self.second }) == [1e6, 2e6, 1e6, 1e6])
  }

  @Test func `a single sample, and one before a gap, count for the maximum hold time`() {
    let hold = Double(AverageWeighting.longestHold)
    #expect(weights(of: [0]) == [hold])
    #expect(weights(of: [0, 3600 * Self.second]) == [hold, hold])
    #expect(weights(of: [0, Self.second, 3600 * Self.second]) == [1e6, 1e6, hold])
  }

  @Test func `of several samples at one time, the last counts`() {
    #expect(weights(of: [0, 0, Self.second]) == [0, 1e6, 1e6])
  }

  @Test func `a sample with a duration has its own weight, and ends the previous one's hold`() {
    var weights = TemporalWeights<Int>(sourceCount: 1)
    #expect(weights.follow(0, of: 0, waiting: (60, 7)) == nil)
    #expect(weights.waits(0, in: 7))
    #expect(!weights.waits(0, in: 8))
    #expect(weights.follow(Self.second, of: 0, waiting: nil)?.weight == 1e6)
    #expect(!weights.waits(0, in: 7))
    #expect(weights.follow(2 * Self.second, of: 0, waiting: (61, 7)) == nil)
    #expect(weights.finish(0)?.weight == 1e6)
    #expect(weights.finish(0) == nil)
  }

  @Test func `a sample with its own weight ends a hold`() {
    var weights = TemporalWeights<Int>(sourceCount: 1)
    #expect(weights.follow(0, of: 0, waiting: (60, 0)) == nil)
    #expect(weights.pass(from: 2 * Self.second, to: 3 * Self.second, of: 0)?.weight == 2e6)
    #expect(weights.follow(4 * Self.second, of: 0, waiting: (61, 0)) == nil)
    #expect(weights.finish(0)?.weight == 1e6)
  }

  @Test func `sources do not affect each other's weights`() {
    var generator = SeededGenerator(seed: 21)
    var both = TemporalWeights<Int>(sourceCount: 2)
    var alone = [TemporalWeights<Int>(sourceCount: 1), TemporalWeights<Int>(sourceCount: 1)]
    var start: Int64 = 0
    for place in 0..<2000 {
      start += Int64.random(in: 0...7 * Self.second, using: &generator)
      let source = Int.random(in: 0...1, using: &generator)
      let waiting = Bool.random(using: &generator) ? (Double(place), place) : nil
      let weighed = both.follow(start, of: source, waiting: waiting)
      let expected = alone[source].follow(start, of: 0, waiting: waiting)
      #expect(weighed?.weight == expected?.weight)
      #expect(weighed?.place == expected?.place)
    }
  }
}
