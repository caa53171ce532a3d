import Testing

@testable import HeartRateVariability

@Suite struct WindowTests {
  @Test func `an interval is in exactly one of adjacent windows`() {
    let recording = Hearts.recording([
      RRSegment(start: 1_700_000_000.25, ticks: Hearts.ticks(3000, seed: 1)),
      RRSegment(start: 1_700_010_000, ticks: Hearts.ticks(2000, seed: 2)),
    ])
    let windows = WindowPlan.fiveMinutes.windows(of: recording)
    #expect(windows.map { recording.nn(in: $0).measured }.reduce(0, +) == 5000)
    #expect(windows == windows.sorted { $0.start < $1.start })
    #expect(windows.allSatisfy { $0.start.truncatingRemainder(dividingBy: 300) == 0 && $0.duration == 300 })
  }

  @Test func `an interval that ends at the end of a window is in it`() throws {
    let recording = Hearts.recording([1000, 1000, 1000, 1000])
    let first = try #require(Window(start: 0, end: 2)), second = try #require(Window(start: 2, end: 4))
    #expect(recording.nn(in: first).times == [1, 2])
    #expect(recording.nn(in: second).times == [1, 2])
    #expect(recording.nn(in: first).coverage == 1)
  }

  @Test func `a window reads only the segments that overlap it, however many there are`() {
    let hours = (0..<2000).map { RRSegment(start: Double($0) * 3600, ticks: Hearts.ticks(300, seed: 1)) }
    let recording = Hearts.recording(hours, .limitsAlone)
    let windows = WindowPlan.fiveMinutes.windows(of: recording)
    #expect(windows.allSatisfy { recording.segments(in: $0).count == 1 })
    #expect(windows.map { recording.nn(in: $0).measured }.reduce(0, +) == 600_000)
  }

  @Test func `overlapping segments are all read`() throws {
    let day = RRSegment(start: 10, ticks: Hearts.ticks(5000, seed: 1))
    let parts = (0..<20).map { RRSegment(start: Double($0) * 200, ticks: Hearts.ticks(100, seed: 2)) }
    let recording = Hearts.recording([day] + parts, .limitsAlone)
    for window in WindowPlan.fiveMinutes.windows(of: recording) {
      let measured = recording.segments.reduce(0) { $0 + $1.indices(in: window).count }
      #expect(recording.nn(in: window).measured == measured && measured > 0)
    }
  }

  @Test func `there is no window inside a gap`() {
    let recording = Hearts.recording([
      RRSegment(start: 0, intervals: [1000, 1000]), RRSegment(start: 1e9, intervals: [1000]),
    ])
    #expect(WindowPlan.fiveMinutes.windows(of: recording).map(\.start) == [0, 999_999_900])
  }

  @Test func `windows slide by their step`() {
    let recording = Hearts.recording([Double](repeating: 1000, count: 20))
    let starts = WindowPlan(duration: 10, every: 5).windows(of: recording).map(\.start)
    #expect(starts == [-5, 0, 5, 10, 15])
  }

  @Test func `the part of an interval before a window does not count for its coverage`() throws {
    let recording = Hearts.recording([1500, 1500, 1500])
    let window = try #require(Window(start: 1, end: 3))
    #expect(recording.nn(in: window).coverage == 1)
    #expect(recording.nn(in: window).intervals == [1500, 1500])
  }

  @Test func `the limits of a plan apply to any request`() {
    for plan in [
      WindowPlan(duration: .nan, every: .nan, origin: .nan), WindowPlan(duration: -1, every: -1),
      WindowPlan(duration: .infinity, every: 1e-300, origin: .infinity),
    ] {
      #expect((1...86_400).contains(plan.duration))
      #expect(plan.step >= 1 && plan.step >= plan.duration / 1000 && plan.step <= plan.duration)
      #expect(plan.origin == 0)
    }
  }

  @Test func `a late beat does not move any window`() {
    let early = RRSegment(start: 40, ticks: Hearts.ticks(500, seed: 4))
    let late = RRSegment(start: 1000, ticks: Hearts.ticks(500, seed: 5))
    let before = WindowPlan.fiveMinutes.windows(of: Hearts.recording([late]))
    let after = WindowPlan.fiveMinutes.windows(of: Hearts.recording([late, early]))
    #expect(Set(before).isSubset(of: after))
  }

  @Test(arguments: [1, 31, 32, 33, 64, 1000]) func `an interval's end is the sum of all intervals up to it`(
    count: Int
  ) throws {
    let ticks = Hearts.ticks(count, seed: 9)
    let segment = try #require(Hearts.recording([RRSegment(start: 7, ticks: ticks)]).segments.first)
    let ends = (1...count).map { Double(ticks[..<$0].reduce(0) { $0 + Int($1) }) / 1024 }
    #expect(segment.ends == ends && segment.duration == ends.last)
    for (index, end) in ends.enumerated() {
      #expect(segment.end(of: index) == end && segment.beginning(of: index + 1) == end)
      #expect(segment.firstIndex(endingAfter: end) == index + 1)
      #expect(segment.firstIndex(endingAfter: end.nextDown) == index)
    }
    #expect(segment.firstIndex(endingAfter: -1) == 0 && segment.beginning(of: 0) == 0)
  }

  @Test func `the times of a window are those of its NN intervals only`() throws {
    let recording = Hearts.recording([1000, 1000, 5000, 1000, 100, 1000], .limitsAlone)
    let window = try #require(Window(start: 1.5, end: 20))
    #expect(recording.nn(in: window).times == [0.5, 6.5, 7.6])
    #expect(recording.pooled().times == [1, 2, 8, 9.1])
  }
}
