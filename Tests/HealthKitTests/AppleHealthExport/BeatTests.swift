import Foundation
import HealthKit
import Testing

@testable import AppleHealthExport

/// Times of day that become times.
struct BeatListTests {
  /// 2026-11-22 23:00:00 UTC, which is midnight in Berlin.
  private let midnight: Int64 = 1_795_388_400_000_000

  private func times(_ clock: [String], start: Int64, seconds: Int64 = 60) -> [Int64]? {
    var list = ExportElement(name: BeatList.name, attributes: [])
    list.children = clock.map {
      ExportElement(
        name: BeatList.entryName,
        attributes: [.init(name: "bpm", value: "60"), .init(name: "time", value: $0)])
    }
    return BeatList.entries(in: list, start: start, end: start + seconds * 1_000_000, zone: 3600)?
      .map { ($0.time - midnight) / 1_000_000 }
  }

  @Test func `a day begins where the clock goes back, however long the gap was`() {
    let minute: Int64 = 60_000_000
    #expect(times(["23:59:30", "00:00:10"], start: midnight - minute) == [-30, 10])
    let evening = midnight - 4 * 60 * minute
    #expect(times(["20:00:01", "08:30:00"], start: evening, seconds: 46_000) == [-14_399, 30_600])
    #expect(times(["20:00:01", "19:59:59"], start: evening, seconds: 86_400) == [-14_399, 71_999])
  }

  @Test func `a first beat just before a start at midnight is of the day before`() {
    #expect(times(["23:59:59.90", "00:00:00.90"], start: midnight) == [0, 0])
    #expect(times(["23:59:58", "00:00:01"], start: midnight) == [-2, 1])
  }

  @Test func `a list that is in no order is none`() {
    #expect(times(["08:00:00", "07:59:59"], start: midnight + 28_800_000_000) == nil)
  }
}
