import HeartRateVariability
import Testing

@Suite struct PoincarePlotTests {
  private struct Published: Decodable { var neurokit2: [String: Double] }

  @Test(arguments: ["short", "long"]) func `the ellipse is NeuroKit2's`(name: String) throws {
    let all: [String: Published] = try Vectors.read("time-domain")
    let other = try #require(all[name]).neurokit2
    let plot = try #require(NNSeries(intervals: Vectors.series(name))).poincarePlot()
    #expect(isClose(plot.sd1, other["SD1"] ?? .nan))
    #expect(isClose(plot.sd2, other["SD2"] ?? .nan))
  }

  @Test func `SD1 is SDSD over the root of two`() throws {
    let series = try #require(NNSeries(intervals: Vectors.series("long")))
    let sdsd = try series.timeDomain().sdsd
    #expect(try isClose(series.poincarePlot().sd1, sdsd / 2.0.squareRoot()))
  }

  @Test func `the common formula for SD2 differs by some thousandths`() throws {
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    let time = try series.timeDomain()
    let formula = (2 * time.sdnn * time.sdnn - time.sdsd * time.sdsd / 2).squareRoot()
    let own = try series.poincarePlot().sd2
    #expect(!isClose(own, formula, within: 1e-4) && isClose(own, formula, within: 1e-2))
  }

  @Test func `an alternating series has no length along the line, and no ratio`() throws {
    let series = try #require(NNSeries(intervals: (0..<100).map { $0.isMultiple(of: 2) ? 800 : 900 }))
    let plot = try series.poincarePlot()
    #expect(plot.sd2 == 0 && plot.sd1 > 0 && plot.ratio == nil && plot.area == 0)
  }
}
