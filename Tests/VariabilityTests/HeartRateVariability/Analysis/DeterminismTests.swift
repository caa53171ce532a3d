import HeartRateVariability
import Testing

@Suite struct DeterminismTests {
  /// A live run and its replay read the same segments, but possibly in another order.
  @Test func `the order of segments does not change any bit of the result`() throws {
    var noise = Noise(seed: 9)
    var segments = (0..<40).map {
      RRSegment(start: 1_700_000_000 + Double($0) * 400, ticks: Hearts.ticks(420, seed: UInt64($0)))
    }
    func all() -> [VariabilityMeasures] {
      let recording = Hearts.recording(segments)
      return WindowPlan.fiveMinutes.windows(of: recording).map {
        VariabilityAnalysis(requirements: .none).measures(of: recording.nn(in: $0))
      }
    }
    let first = all()
    segments.shuffle(using: &noise)
    #expect(all() == first)
    #expect(first.count == 54)
  }

  @Test func `a window has the same measures as its beats alone`() throws {
    let ticks = Hearts.ticks(1000, seed: 10)
    let recording = Hearts.recording([RRSegment(start: 600, ticks: ticks)], .limitsAlone)
    let window = try #require(Window(start: 600, end: 900))
    let count = recording.nn(in: window).intervals.count
    let alone = Hearts.recording([RRSegment(start: 600, ticks: ticks[..<count])], .limitsAlone)
    #expect(alone.nn(in: window) == recording.nn(in: window))
  }
}
