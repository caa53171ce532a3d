import HeartRateVariability
import Testing

@Suite struct DetrendedFluctuationTests {
  @Test func `fluctuations equal those of numpy's least squares`() throws {
    let published: [String: [Double]] = try Vectors.read("fluctuation")
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    let own = series.fluctuations(DetrendedFluctuation(scales: 4...64))
    let expected = try #require(published["short"])
    #expect(own.count == expected.count && zip(own, expected).allSatisfy { isClose($0, $1) })
    #expect(try isClose(series.alpha(), 0.665_215_544_150_132_2))
    #expect(try isClose(series.alpha(.long), 0.918_734_435_812_705_9))
  }

  @Test func `α does not depend on the rate or on the size of the variation`() throws {
    let series = try Vectors.series("long")
    let alpha = try #require(NNSeries(intervals: series)).alpha()
    let scaled = try #require(NNSeries(intervals: series.map { 3 * $0 + 100 })).alpha()
    #expect(isClose(alpha, scaled, within: 1e-9))
  }

  @Test func `too few intervals, too many artifacts and constant series are refused with a reason`() throws {
    func alpha(_ intervals: [Double]) throws -> MeasureError.Reason? {
      let series = try #require(NNSeries(intervals: intervals))
      return refusal { () throws(MeasureError) in try series.alpha() }
    }
    let series = try Vectors.series("short")
    #expect(try alpha(Array(series[..<63])) == .noLongStretch)
    #expect(try alpha(Array(series[..<64])) == nil)
    #expect(try alpha(Array(repeating: 1000 / 1.1, count: 300)) == .noVariation)
    let dirty = Hearts.recording(series.enumerated().map { $0.isMultiple(of: 19) ? 2500 : $1 }, .limitsAlone)
    #expect(
      refusal { () throws(MeasureError) in try dirty.corrected().pooled().alpha() } == .tooManyArtefacts)
  }

  @Test func `scales are clamped to their limits`() {
    #expect(DetrendedFluctuation(scales: (-5)...Int.max).scales == 4...1024)
    #expect(DetrendedFluctuation(scales: 8...8).scales == 8...9)
    #expect(DetrendedFluctuation(scales: 5000...6000).scales == 1023...1024)
  }
}
