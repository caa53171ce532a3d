import HeartRateVariability
import Testing

@Suite struct RRSegmentTests {
  @Test func `a tick is 1000/1024 ms, without rounding`() {
    let segment = RRSegment(start: 0, ticks: [1024, 512, 1, 0, 65_535])
    #expect(segment?.intervals == [1000, 500, 0.976_562_5, 0, 63_999.023_437_5])
  }

  @Test(arguments: [Double.nan, .infinity, -1, -.infinity, 1e300])
  func `an invalid interval makes no segment`(interval: Double) {
    #expect(RRSegment(start: 0, intervals: [800, interval]) == nil)
  }

  @Test(arguments: [Double.nan, .infinity, 1e12])
  func `an invalid time makes no segment`(start: Double) {
    #expect(RRSegment(start: start, intervals: [800]) == nil)
    #expect(RRSegment(start: start, ticks: [800]) == nil)
    #expect(Window(start: 0, end: start == 1e12 ? .infinity : start) == nil)
  }

  private func beat(_ offset: Double, gap: Bool = false) -> RRSegment.Beat {
    RRSegment.Beat(offset: offset, precededByGap: gap)
  }

  @Test func `the beats of a series are split at its gaps`() {
    let segments = RRSegment.segments(
      start: 100,
      beats: [beat(0, gap: true), beat(1), beat(2.5), beat(9, gap: true), beat(10), beat(20, gap: true)])
    #expect(segments.map(\.start) == [100, 109])
    #expect(segments.map(\.intervals) == [[1000, 1500], [1000]])
  }

  @Test func `a beat that is out of order or has no valid time is a gap`() {
    let segments = RRSegment.segments(
      start: 0, beats: [beat(5, gap: true), beat(6), beat(4), beat(5), beat(.nan), beat(7), beat(8)])
    #expect(segments.map(\.start) == [5, 4, 7])
    #expect(segments.map(\.intervals) == [[1000], [1000], [1000]])
  }

  @Test func `intervals in ticks are exact after conversion to offsets and back`() {
    let ticks = Hearts.ticks(5000, seed: 3)
    var beats = [beat(0, gap: true)]
    var offset = 0
    for tick in ticks {
      offset += Int(tick)
      beats.append(beat(Double(offset) / 1024))
    }
    let segments = RRSegment.segments(start: 0, beats: beats)
    #expect(segments == [RRSegment(start: 0, ticks: ticks)].compactMap(\.self))
  }

  @Test func `a part has the intervals that begin and end in its period, including the edges`() throws {
    let segment = try #require(RRSegment(start: 100, intervals: [1000, 500, 500, 2000]))
    func part(_ start: Double, _ end: Double) -> RRSegment? { segment.part(from: start, to: end) }
    #expect(part(100, 104) == segment && part(-.infinity, .infinity) == segment)
    // Take the intervals that begin at or after 101 s and end at or before 102 s.
    #expect(part(101, 102) == RRSegment(start: 101, intervals: [500, 500]))
    #expect(part(101, 101.999) == RRSegment(start: 101, intervals: [500]))
    #expect(part(101.001, 102) == RRSegment(start: 101.5, intervals: [500]))
    #expect(part(101.001, 103.999) == RRSegment(start: 101.5, intervals: [500]))
    #expect(part(101.001, 101.999) == nil && part(104, 200) == nil && part(0, 100) == nil)
  }
}
