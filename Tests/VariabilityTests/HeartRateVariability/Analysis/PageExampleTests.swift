import Foundation
import HeartRateVariability
import Testing

@Suite struct PageExampleTests {
  private let start = 1_700_000_100.0
  private let beats = (0..<900).map { RRSegment.Beat(offset: Double($0), precededByGap: $0 == 0) }

  @Test func `the page's example runs`() throws {
    var printed: [[Double]] = []
    func print(_ figures: Double...) { printed.append(figures) }

    let segments = RRSegment.segments(start: start, beats: beats)
    let recording = Cleaning.usual.mark(segments)
    for window in WindowPlan.fiveMinutes.windows(of: recording) {
      let series = recording.nn(in: window)
      print(try series.timeDomain().rmssd, try series.bandPowers().lf)
    }
    #expect(printed == [[0, 0], [0, 0], [0, 0]])
  }

  @Test func `the code on the page is the code of this test`() throws {
    let here = URL(filePath: #filePath)
    let page = here.deletingLastPathComponent().appending(
      path: "../../../../Sources/HeartRateVariability/Documentation.docc/HeartRateVariability.md")
    let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```swift\n").dropFirst()
    let code = blocks.flatMap {
      $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex).split(separator: "\n")
    }
    let own = try String(contentsOf: here, encoding: .utf8).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    #expect(code.count == 6)
    for line in code { #expect(own.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)") }
  }
}
