import HeartRateVariability
import Testing

@Suite struct LipponenTarvainenTests {
  private struct Classified: Decodable {
    var intervals: [Double]
    var ectopic: [Int]
    var missed: [Int]
    var extra: [Int]
    var longshort: [Int]
  }

  private static let hearts = ["steady", "short"]
  private static let kinds = ["clean", "missed", "extra", "early", "late", "pause", "hurry"]
  private static let names = ["long"] + hearts.flatMap { heart in kinds.map { "\(heart)-\($0)" } }

  @Test(arguments: names) func `findings are NeuroKit2's, beat for beat`(name: String) throws {
    let all: [String: Classified] = try Vectors.read("artefacts")
    let expected = try #require(all[name])
    var method = LipponenTarvainen()
    method.resolution = 0
    let findings = method.findings(in: expected.intervals)
    func beats(_ marks: Set<IntervalMark>) -> [Int] {
      findings.filter { marks.contains($0.mark) }.map(\.beat).sorted()
    }
    #expect(beats([.missed]) == expected.missed)
    #expect(beats([.extra]) == expected.extra)
    #expect(beats([.long, .short]) == expected.longshort)
    // NeuroKit2 reports the interval in the middle of an ectopic pattern; the ectopic beat is at its start.
    #expect(beats([.ectopic]) == expected.ectopic.map { $0 - 1 })
  }

  /// Each argument changes beat 100. Interval k ends at beat k + 1.
  @Test(
    arguments: [
      ("clean", [:]), ("missed", [99: .missed]), ("extra", [100: .extra, 101: .extra]),
      ("early", [99: .ectopic, 100: .ectopic]), ("late", [99: .ectopic, 100: .ectopic]),
      ("pause", [99: .long]),
      ("hurry", [99: .short]),
    ] as [(String, [Int: IntervalMark])])
  func `an added artifact is found at its beat, and no other`(
    kind: String, expected: [Int: IntervalMark]
  ) throws {
    let all: [String: Classified] = try Vectors.read("artefacts")
    let intervals = try #require(all["steady-\(kind)"]).intervals
    let segment = try #require(Hearts.recording(intervals).segments.first)
    var found: [Int: IntervalMark] = [:]
    for (index, mark) in segment.marks.enumerated() where mark != .normal { found[index] = mark }
    #expect(found == expected)
  }

  @Test func `a heart that is steadier than the clock has no artifacts`() {
    // A paced rhythm of 750 ms, which is 768 ticks, or sometimes 769 because of the strap's clock.
    let ticks = (0..<600).map { UInt16($0.isMultiple(of: 37) ? 769 : 768) }
    let recording = Hearts.recording([RRSegment(start: 0, ticks: ticks)])
    #expect(recording.counts == [.normal: 600])
  }

  @Test func `a heart that is twice as fast has the same artifacts`() throws {
    var method = LipponenTarvainen()
    method.resolution = 0
    let series = try Vectors.series("long")
    let limits = RangeLimits(shortest: 1, longest: 10_000)
    let findings = method.findings(in: series, limits: limits)
    #expect(method.findings(in: series.map { $0 / 2 }, limits: limits) == findings)
    #expect(!findings.isEmpty)
  }

  @Test(arguments: 0...3) func `fewer than three intervals are not judged`(count: Int) {
    let findings = LipponenTarvainen().findings(in: Array([800, 1600, 800].prefix(count)))
    #expect(count == 3 || findings.isEmpty)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e300])
  func `if a number is no interval, no interval is judged`(number: Double) throws {
    var intervals = try Vectors.series("short")
    #expect(!LipponenTarvainen().findings(in: intervals).isEmpty)
    intervals[100] = number
    #expect(LipponenTarvainen().findings(in: intervals).isEmpty)
  }
}
