import HeartRateVariability
import Testing

@Suite struct CorrectionTests {
  /// Returns the corrected recording of the series `steady`, to which `change` adds an artifact.
  private func corrected(_ change: (inout [Double]) -> Void) throws -> (MarkedRecording, MarkedSegment) {
    var intervals = try Vectors.series("steady")
    change(&intervals)
    let marked = Hearts.recording(intervals)
    return (marked, try #require(marked.corrected().segments.first))
  }

  @Test func `a missed beat is inserted in the middle`() throws {
    let (_, segment) = try corrected { $0.replaceSubrange(99...100, with: [$0[99] + $0[100]]) }
    let series = try Vectors.series("steady")
    #expect(segment.intervals.count == 400)
    #expect(segment.intervals[99] == (series[99] + series[100]) / 2)
    #expect(segment.intervals[99] == segment.intervals[100])
    #expect(segment.marks[99...100] == [.interpolated, .interpolated])
    #expect(segment.duration == series.reduce(0, +) / 1000)
  }

  @Test func `an extra beat is removed`() throws {
    let (_, segment) = try corrected { $0.replaceSubrange(100...100, with: [$0[100] / 2, $0[100] / 2]) }
    let series = try Vectors.series("steady")
    #expect(segment.intervals == series)
    #expect(segment.marks.count { $0 == .interpolated } == 1)
  }

  @Test func `a missed beat is inserted in the middle, even if the interval is out of range`() throws {
    let series = try Vectors.series("steady").map { $0 * 1.3 }
    var intervals = series
    intervals.replaceSubrange(99...100, with: [series[99] + series[100]])
    let marked = Hearts.recording(intervals)
    #expect(intervals[99] > RangeLimits.usual.longest && marked.segments.first?.marks[99] == .missed)
    let segment = try #require(marked.corrected().segments.first)
    #expect(segment.intervals.count == 400)
    #expect(segment.intervals[99] == (series[99] + series[100]) / 2)
    #expect(isClose(segment.duration, series.reduce(0, +) / 1000, within: 1e-12))
  }

  @Test func `an extra beat is removed, even if an interval is out of range`() throws {
    let series = try Vectors.series("steady")
    var intervals = series
    intervals.replaceSubrange(100...100, with: [200, series[100] - 200])
    let marked = Hearts.recording(intervals)
    #expect(marked.segments.first?.marks[100...101] == [.extra, .extra])
    #expect(areClose(marked.corrected().segments.first?.intervals ?? [], series, within: 1e-12))
  }

  @Test func `an ectopic beat's intervals are interpolated linearly between their neighbors`() throws {
    let (_, segment) = try corrected {
      $0[99] -= 340
      $0[100] += 340
    }
    let series = try Vectors.series("steady")
    let third = (series[101] - series[98]) / 3
    #expect(isClose(segment.intervals[99], series[98] + third))
    #expect(isClose(segment.intervals[100], series[98] + 2 * third))
    #expect(segment.intervals[..<99] == series[..<99] && segment.intervals[101...] == series[101...])
  }

  @Test func `an interpolated interval counts as NN and as an artifact`() throws {
    let (marked, _) = try corrected { $0[99] += 400 }
    #expect(marked.pooled().artefacts == 1 && marked.pooled().intervals.count == 399)
    let series = marked.corrected().pooled()
    #expect(series.artefacts == 1 && series.intervals.count == 400)
    #expect(series.runs == [0..<400])
  }

  @Test func `artifacts at an end, or many in a row, are not interpolated`() {
    let wrong = [Double](repeating: 5000, count: 11)
    let intervals = [5000] + [800, 810, 820] + wrong + [800, 800, 5000]
    let corrected = Hearts.recording(intervals, .limitsAlone).corrected()
    #expect(corrected.segments.first?.intervals == intervals)
    #expect(corrected.counts == [.normal: 5, .outOfRange: 13])
    let fewer = Hearts.recording([800] + wrong.dropLast() + [910], .limitsAlone).corrected()
    #expect(fewer.counts == [.normal: 2, .interpolated: 10])
    let line = (0...11).map { 800 + 10 * Double($0) }
    #expect(areClose(fewer.segments.first?.intervals ?? [], line))
  }

  @Test func `correcting clean intervals changes nothing, and correction is idempotent`() throws {
    let recording = Hearts.recording([RRSegment(start: 0, ticks: Hearts.ticks(3000, seed: 7))], .limitsAlone)
    #expect(recording.corrected() == recording)
    let long = Hearts.recording(try Vectors.series("long")).corrected()
    #expect(long.corrected() == long)
  }
}
