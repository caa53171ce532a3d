import Foundation
import Testing
import hrgate

@testable import TestSupport

@Suite struct MetricTests {
  @Test func `a family has its help and type, and each sample its labels`() {
    let families = [
      MetricFamily(
        "frames_total", .counter, "What came in.",
        [
          .init([.init("monitor", "C0:FF"), .init("person", "Anna")], 3), .init([.init("monitor", "A")], 2.5),
        ]),
      MetricFamily("up", .gauge, "It runs.", [.init(1)]),
      MetricFamily("none", .gauge, "Nothing is known.", []),
    ]
    #expect(
      MetricFamily.text(families) == """
        # HELP frames_total What came in.
        # TYPE frames_total counter
        frames_total{monitor="C0:FF",person="Anna"} 3
        frames_total{monitor="A"} 2.5
        # HELP up It runs.
        # TYPE up gauge
        up 1

        """)
  }

  @Test func `a label value cannot end its line or add a sample`() throws {
    let hostile = [
      "\"} 1\nlie 2", "\\", "\\\"", "a\nb", "\\n", "", "=", ",", "{}", "\u{1B}[2J", "\r\u{2028}", "💓\u{301}",
      "a\r\nlie 3",
    ]
    let family = MetricFamily(
      "told", .gauge, "A help\nwith \\ and \"quotes\".",
      hostile.enumerated().map { MetricFamily.Sample([.init("name", $1), .init("other", "x")], Double($0)) })
    let read = try Exposition(MetricFamily.text([family]))
    #expect(read.helps["told"] == "A help\\nwith \\\\ and \"quotes\".")
    #expect(read.samples.count == hostile.count)
    for (number, name) in hostile.enumerated() {
      #expect(read.sum("told", ["name": name, "other": "x"]) == Double(number), "\(name.debugDescription)")
    }
  }

  @Test func `numbers have the format that Prometheus reads`() throws {
    let values = [0, -1, 0.25, 1e300, Double(1 << 53), .infinity, -.infinity]
    let family = MetricFamily(
      "value", .gauge, "A value.", values.enumerated().map { MetricFamily.Sample([.init("n", "\($0)")], $1) })
    let text = MetricFamily.text([family])
    let read = try Exposition(text)
    for (number, value) in values.enumerated() { #expect(read.sum("value", ["n": "\(number)"]) == value) }
    #expect(text.contains("} +Inf\n") && text.contains("} -Inf\n") && text.contains("} 9007199254740992\n"))
    #expect(MetricFamily.text([MetricFamily("v", .gauge, "A value.", [.init(.nan)])]).hasSuffix("v NaN\n"))
  }
}
