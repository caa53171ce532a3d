import Foundation
import Testing

@testable import HealthKitSignatures

@Suite struct UTCInstantTests {
  @Test func `the text of an instant matches Foundation's calendar`() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    // Use the proleptic Gregorian calendar, because Foundation's `gregorian` is Julian before 1582.
    formatter.calendar = Calendar(identifier: .iso8601)
    formatter.dateFormat = "yyyyMMddHHmmss'Z'"
    for day in stride(from: Int64(-12_219_292_800), to: 253_402_300_799, by: 86_400 * 97 + 4271) {
      let instant = try #require(UTCInstant(microseconds: day * 1_000_000))
      #expect(instant.text == formatter.string(from: Date(timeIntervalSince1970: Double(day))))
      #expect(UTCInstant(text: instant.text) == instant)
    }
  }

  @Test func `the days of all years are consecutive`() {
    var expected = CivilDay(year: 1, month: 1, day: 1).daysSince1970
    #expect(expected == -719_162)
    for year in Int64(1)...9999 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, days) in zip(Int64(1)..., [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        let first = CivilDay(year: year, month: month, day: 1)
        guard first.daysSince1970 == expected else {
          Issue.record("\(year)-\(month)")
          return
        }
        expected += Int64(days)
      }
    }
  }

  @Test func `the range is the years 1 to 9999`() throws {
    let first = try #require(UTCInstant(text: "00010101000000Z"))
    let last = try #require(UTCInstant(text: "99991231235959.999999Z"))
    #expect(UTCInstant(microseconds: first.microseconds - 1) == nil)
    #expect(UTCInstant(microseconds: last.microseconds + 1) == nil)
    #expect(UTCInstant(microseconds: -1)?.text == "19691231235959.999999Z")
    #expect(UTCInstant(Date(timeIntervalSince1970: .nan)) == nil)
  }
}
