import HeartRateVariability
import Testing

@Suite struct CleaningTests {
  @Test func `marking changes no interval`() throws {
    let intervals = try Vectors.series("long") + [0, 64_000, 5, 800]
    let segment = try #require(Hearts.recording(intervals).segments.first)
    #expect(segment.intervals == intervals)
    #expect(segment.marks.count == intervals.count)
  }

  @Test func `impossible intervals are out of range, however steady`() throws {
    let segment = try #require(Hearts.recording([250, 250, 250, 2500, 2500, 800, 0]).segments.first)
    #expect(segment.marks.map { $0 == .outOfRange } == [true, true, true, true, true, false, true])
  }

  @Test func `an interval without duration is never NN, whatever the limits`() {
    let cleaning = Cleaning(limits: RangeLimits(shortest: -5, longest: .infinity), classification: nil)
    #expect(Hearts.recording([0, 1e-300, .leastNonzeroMagnitude, 800], cleaning).pooled().intervals == [800])
  }

  @Test func `an interval out of range does not make its neighbors artifacts`() throws {
    var intervals = try Vectors.series("steady")
    intervals[200] = 64_000
    let segment = try #require(Hearts.recording(intervals).segments.first)
    #expect(segment.marks[200] == .outOfRange)
    #expect(segment.marks.count { $0 != .normal } == 1)
  }

  @Test func `each segment is judged separately`() throws {
    let steady = try Vectors.series("steady")
    let alone = Hearts.recording(steady)
    // Add a second segment with twice the heart rate. If both segments were judged together, all intervals of
    // the first one would be too long.
    let beside = Hearts.recording([
      RRSegment(start: 0, intervals: steady), RRSegment(start: 1000, intervals: steady.map { $0 / 2 }),
    ])
    #expect(beside.segments.first?.marks == alone.segments.first?.marks)
  }
}
