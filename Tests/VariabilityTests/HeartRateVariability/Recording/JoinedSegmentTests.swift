import HeartRateVariability
import Testing

@Suite struct JoinedSegmentTests {
  @Test func `parts that share a beat are one segment again`() throws {
    let ticks = Hearts.ticks(1000, seed: 40)
    let whole = try #require(RRSegment(start: 1_700_000_000, ticks: ticks))
    var sum = 0.0
    var parts: [RRSegment] = []
    for first in stride(from: 0, to: 1000, by: 300) {
      // The store's times have microseconds.
      let start = 1_700_000_000 + (sum * 1000).rounded() / 1e6
      let part = RRSegment(start: start, ticks: ticks[first..<min(first + 300, 1000)])
      sum += part?.intervals.reduce(0, +) ?? 0
      if let part { parts.append(part) }
    }
    #expect(RRSegment.joined(parts.reversed()) == [whole])
  }

  @Test func `no gap is closed`() throws {
    let first = try #require(RRSegment(start: 0, intervals: [1000, 1000]))
    for start in [1.9, 1.998, 2.002, 2.5, 100] {
      let next = try #require(RRSegment(start: start, intervals: [800]))
      #expect(RRSegment.joined([next, first]) == [first, next])
    }
    #expect(RRSegment.joined([RRSegment]()) == [])
  }
}
