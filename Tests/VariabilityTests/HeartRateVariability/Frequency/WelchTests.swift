import Foundation
import HeartRateVariability
import Testing

@Suite struct WelchTests {
  private struct Published: Decodable {
    var linear: [Double]
    var constant: [Double]
  }

  @Test func `the densities are scipy's, by its natural spline`() throws {
    let published: Published = try Vectors.read("welch")
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    #expect(try areClose(series.spectrum(welch: Welch()).densities, published.linear))
  }

  @Test func `the densities are scipy's, by straight lines and short segments`() throws {
    let published: Published = try Vectors.read("welch")
    let series = try #require(NNSeries(intervals: Vectors.series("short")))
    let welch = Welch(segmentLength: 256, interpolation: .linear, detrending: .constant)
    #expect(try areClose(series.spectrum(welch: welch).densities, published.constant))
  }

  @Test func `VLF needs segments as long as its longest wave, or is refused with a reason`() throws {
    let series = try #require(NNSeries(intervals: Vectors.series("long")))
    let usual = try series.bandPowers(welch: Welch())
    #expect(refusal { () throws(MeasureError) in try usual.vlf.get() } == .segmentTooShort)
    #expect(try series.bandPowers(welch: Welch(segmentLength: 2048)).vlf.get() > 0)
  }

  @Test func `a segment does not span an artifact`() throws {
    var intervals = try Vectors.series("short")
    intervals[150] = 5000
    let series = Hearts.recording(intervals, .limitsAlone).pooled()
    #expect(refusal { () throws(MeasureError) in try series.bandPowers(welch: Welch()) } == .noLongStretch)
    let corrected = Hearts.recording(intervals, .limitsAlone).corrected().pooled()
    #expect(try corrected.bandPowers(welch: Welch()).lf > 0)
  }

  @Test func `Lomb-Scargle and Welch give similar powers for one heart`() throws {
    let series = try #require(NNSeries(intervals: Vectors.series("steady")))
    let (lomb, welch) = (try series.bandPowers(), try series.bandPowers(welch: Welch()))
    #expect(isClose(lomb.lf, welch.lf, within: 0.25))
    #expect(isClose(lomb.hf, welch.hf, within: 0.25))
  }

  @Test func `parameters are clamped to their limits`() {
    let odd = Welch(rate: .nan, segmentLength: 1000)
    #expect(odd.rate == 4 && odd.segmentLength == 1024 && odd.segment == 256)
    #expect(Welch(rate: 1e9, segmentLength: .max).segmentLength == 65_536)
    #expect(Welch(rate: -1, segmentLength: .min).segmentLength == 16)
    #expect(LombScargle(oversampling: .max, highest: .infinity).oversampling == 16)
  }
}
