import Foundation
import HeartRateVariability
import Testing

/// The figures that the page of measures has for the samples are those that the module has.
@Suite struct PageFiguresTests {
  private func page() throws -> String {
    let path = "../../../../Sources/HeartRateVariability/Documentation.docc/Measures.md"
    return try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: path), encoding: .utf8)
  }

  private func rounded(_ number: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", number)
  }

  @Test func `what stands there is what comes out`() throws {
    let page = try page()
    let short = try #require(NNSeries(intervals: Vectors.series("short")))
    let long = try #require(NNSeries(intervals: Vectors.series("long")))
    #expect(page.contains("\(short.intervals.count) intervals in \(rounded(short.duration, 3)) s"))
    #expect(page.contains("here \(rounded(try long.timeDomain().triangularIndex, 1)) |"))
    #expect(page.contains("for \(rounded(try short.poincarePlot().sd2, 2)) here"))
    #expect(page.contains("\(rounded(try short.alpha(), 3)) here, 0.679 NK"))
    let lomb = try #require(try short.bandPowers().ratio)
    let welch = try #require(try short.bandPowers(welch: Welch()).ratio)
    #expect(page.contains("here \(rounded(lomb, 3)) by Lomb and Scargle, \(rounded(welch, 3)) by Welch"))
    let marked = Hearts.recording(try Vectors.series("short")).pooled()
    #expect(marked.artefacts == 5 && page.contains("five of the 337 of the sample"))
  }
}
