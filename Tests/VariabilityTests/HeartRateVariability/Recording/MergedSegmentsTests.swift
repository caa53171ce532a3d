import Testing

@testable import HeartRateVariability

@Suite struct MergedSegmentsTests {
  private static let start = 1_700_000_000.0

  /// Returns the segments of one recording as a store has them: 300 intervals each, with times in
  /// microseconds.
  private func parts(_ ticks: [UInt16], start: Double = start) -> [RRSegment] {
    var sum = 0.0
    return stride(from: 0, to: ticks.count, by: 300).compactMap { first in
      let begin = start + (sum * 1000).rounded() / 1e6
      let part = RRSegment(start: begin, ticks: ticks[first..<min(first + 300, ticks.count)])
      sum += part?.intervals.reduce(0, +) ?? 0
      return part
    }
  }

  @Test func `parts that share a beat are one segment again`() throws {
    let ticks = Hearts.ticks(1000, seed: 40)
    let whole = try #require(RRSegment(start: Self.start, ticks: ticks))
    let merged = MergedSegments(parts(ticks).reversed())
    #expect(merged.segments == [whole] && merged.dropped == 0)
  }

  @Test func `no gap is closed`() throws {
    let first = try #require(RRSegment(start: 0, intervals: [1000, 1000]))
    for start in [2.002, 2.5, 100] {
      let next = try #require(RRSegment(start: start, intervals: [800]))
      #expect(MergedSegments([next, first]).segments == [first, next])
    }
    #expect(MergedSegments([RRSegment]()).segments == [])
  }

  /// Two hosts receive one heart, with segments that begin at different beats and clocks that differ. A third
  /// host joins later.
  @Test(arguments: [-2.5, -0.04, 0, 0.3, 4.0])
  func `a heart that several hosts received counts once`(difference: Double) throws {
    let ticks = Hearts.ticks(1000, seed: 41)
    let whole = try #require(RRSegment(start: Self.start, ticks: ticks))
    let end = whole.end
    func host(from first: Int, to last: Int, _ difference: Double) -> [RRSegment] {
      let before = Double(ticks[..<first].reduce(0) { $0 + Int($1) }) / 1024
      return parts(Array(ticks[first..<last]), start: Self.start + before + difference)
    }
    let one = host(from: 0, to: 1000, 0)
    for other in [host(from: 7, to: 900, difference), host(from: 150, to: 1000, difference)] {
      let merged = MergedSegments(one + other + host(from: 400, to: 700, 0.1))
      #expect(merged.segments.first == whole)
      // The remaining segments are only beats that the second host's clock places after the end of the first.
      #expect(merged.segments.dropFirst().allSatisfy { $0.start >= end - 0.001 && $0.intervals.count <= 6 })
      #expect(merged.dropped + merged.segments.dropFirst().reduce(0) { $0 + $1.intervals.count } > 900)
    }
    // One host receives beats 0 to 600 and another one beats 400 to 1000, so that they overlap.
    let merged = MergedSegments(host(from: 0, to: 600, 0) + host(from: 400, to: 1000, 0.01))
    #expect(merged.segments.map(\.intervals.count) == [600, 400] && merged.dropped == 200)
    // The same file is merged with itself.
    let twice = MergedSegments(one + one)
    #expect(twice.segments == [whole] && twice.dropped == 1000)
  }

  @Test func `the result does not depend on the order of the parts`() {
    let ticks = Hearts.ticks(900, seed: 42)
    var all = parts(ticks) + parts(Array(ticks.dropFirst(20)), start: Self.start + 17.1)
    all += parts(Hearts.ticks(400, seed: 43), start: Self.start + 100)
    let expected = MergedSegments(all)
    var noise = SystemRandomNumberGenerator()
    for _ in 0..<20 { #expect(MergedSegments(all.shuffled(using: &noise)) == expected) }
  }

  @Test func `overlapping runs with different beats are kept, and their windows are refused`() throws {
    let ticks = Hearts.ticks(900, seed: 44)
    // Each frame repeats its newest interval, so that the intervals add up to twice the elapsed time.
    let doubled = ticks.flatMap { [$0, $0] }
    let repeated = [0, 450].flatMap { first -> [RRSegment] in
      let before = Double(ticks[..<first].reduce(0) { $0 + Int($1) }) / 1024
      return parts(Array(doubled[(2 * first)..<(2 * first + 900)]), start: Self.start + before)
    }
    let merged = MergedSegments(repeated)
    #expect(merged.dropped == 0 && merged.segments.reduce(0) { $0 + $1.intervals.count } == 1800)
    let recording = Cleaning.limitsAlone.mark(merged.segments)
    let window = try #require(Window(start: Self.start + 450, end: Self.start + 750))
    let series = recording.nn(in: window)
    #expect(series.coverage > 0.999 && series.overlap > 0.9)
    #expect(refusal { () throws(MeasureError) in try series.timeDomain() } == .moreBeatsThanTime)
    #expect(refusal { () throws(MeasureError) in try recording.pooled().timeDomain() } == .moreBeatsThanTime)
    #expect(refusal { () throws(MeasureError) in try series.timeDomain(.none) } == nil)
    // Before the second recording begins, there is only one heart and no overlap.
    let early = try #require(Window(start: Self.start, end: Self.start + 300))
    #expect(recording.nn(in: early).overlap == 0)
  }

  @Test func `a run that begins shortly before the end of another is no duplicate`() throws {
    let ticks = Hearts.ticks(600, seed: 45)
    let first = try #require(RRSegment(start: Self.start, ticks: ticks[..<300]))
    let second = try #require(RRSegment(start: first.end - 2.2, ticks: ticks[300...]))
    let merged = MergedSegments([first, second])
    #expect(merged.segments.count == 2 && merged.dropped == 3)
    #expect(merged.segments[1].start >= first.end - 0.001)
  }

  @Test func `coverage counts each instant once`() throws {
    let one = try #require(RRSegment(start: 0, intervals: [Double](repeating: 1000, count: 10)))
    let other = try #require(RRSegment(start: 4.5, intervals: [Double](repeating: 900, count: 10)))
    let recording = Cleaning.limitsAlone.mark([one, other])
    let window = try #require(Window(start: 0, end: 20))
    let series = recording.nn(in: window)
    #expect(series.coverage == 13.5 / 20 && series.overlap == 5.5 / 20)
    #expect(recording.pooled().duration == 13.5 && recording.pooled().coverage == 1)
  }
}
