import Foundation

extension ActivityDay {
  /// As one number, in the order of the days: 17 May 1980 is 19800517.
  package var number: Int64 { Int64(year * 10_000 + month * 100 + day) }

  /// nil for a number that is no day.
  package init?(number: Int64) {
    guard (1_01_01...9999_12_31).contains(number) else { return nil }
    let number = Int(number)
    self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }
}
