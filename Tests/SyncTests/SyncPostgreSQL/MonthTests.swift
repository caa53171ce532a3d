import Foundation
import Testing

@testable import ExternalStores

@Suite struct MonthTests {
  @Test func `every month of the century starts on the correct day`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for year in 2000...2099 {
      for month in 1...12 {
        let date = try #require(calendar.date(from: DateComponents(year: year, month: month)))
        let start = Int64(date.timeIntervalSince1970) * 1_000_000
        let own = try #require(Month(of: start))
        #expect(own.year == year && own.month == month)
        #expect(own.start == start)
        #expect(Month(of: own.next.start - 1)?.start == start)
      }
    }
  }

  @Test func `times outside the century have no month`() {
    let first = Int64(946_684_800_000_000)
    #expect(Month(of: first)?.suffix == "2000_01")
    #expect(Month(of: first - 1) == nil)
    let last = Int64(4_102_444_800_000_000) - 1
    #expect(Month(of: last)?.literal == "'2099-12-01 00:00:00+00'")
    #expect(Month(of: last)?.next.literal == "'2100-01-01 00:00:00+00'")
    #expect(Month(of: last + 1) == nil)
    #expect(Month(of: .max) == nil)
    #expect(Month(of: .min) == nil)
  }
}
