import Foundation
import HeartRateVariability
import Testing

@Suite struct SampleEntropyTests {
  @Test(arguments: ["short", "long"]) func `the entropy is NeuroKit2's`(name: String) throws {
    let published: [String: Double] = try Vectors.read("sample-entropy")
    let series = try #require(NNSeries(intervals: Vectors.series(name)))
    #expect(try isClose(series.sampleEntropy(), published[name] ?? .nan))
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `the entropy equals that of counting all pairs`(seed: UInt64) throws {
    let segments = [150, 2, 1, 60].enumerated().map {
      RRSegment(start: Double($0) * 1000, ticks: Hearts.ticks($1, seed: seed * 10 + UInt64($0)))
    }
    let series = Hearts.recording(segments, .limitsAlone).pooled()
    let x = series.intervals
    let mean = x.reduce(0, +) / Double(x.count)
    let deviation = (x.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(x.count - 1)).squareRoot()
    let starts = series.runs.flatMap { $0.filter { [run = $0] start in start + 2 < run.upperBound } }
    var (two, three) = (0, 0)
    for one in starts {
      for other in starts where other > one {
        let distances = (0...2).map { abs(x[one + $0] - x[other + $0]) <= 0.2 * deviation }
        if distances[0] && distances[1] { two += 1 }
        if distances.allSatisfy(\.self) { three += 1 }
      }
    }
    let expected = log(Double(two) / Double(three))
    #expect(try isClose(series.sampleEntropy(), expected, within: 1e-12))
  }

  /// For independent normal values, the probability that two of them are within r of each other is erf(r/2).
  @Test func `the entropy of white noise matches its probability`() throws {
    var noise = Noise(seed: 31)
    let series = try #require(NNSeries(intervals: noise.normals(4000).map { 1000 + 50 * $0 }))
    #expect(try isClose(series.sampleEntropy(), -log(erf(0.1)), within: 0.03))
  }

  @Test func `entropy that cannot be computed is refused with a reason`() throws {
    func entropy(_ intervals: [Double], tolerance: Double = 0.2) throws -> MeasureError.Reason? {
      let series = try #require(NNSeries(intervals: intervals))
      return refusal { () throws(MeasureError) in
        try series.sampleEntropy(SampleEntropy(tolerance: tolerance))
      }
    }
    #expect(try entropy(Array(repeating: 800, count: 99)) == .tooFewIntervals)
    #expect(try entropy(Array(repeating: 800, count: 50_001)) == .windowTooLong)
    #expect(try entropy(Array(repeating: 800, count: 200)) == .noVariation)
    #expect(try entropy((0..<200).map { 800 + Double($0 * $0) }, tolerance: -1) == .noMatches)
    #expect(try entropy((0..<200).map { 800 + Double($0 * $0) }, tolerance: .nan) == .noMatches)
  }
}
