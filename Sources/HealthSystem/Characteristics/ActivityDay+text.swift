package import HealthKit

extension ActivityDay {
  /// - Parameter text: `1990-05-17`.
  package init?(text: String) {
    let fields = text.split(separator: "-", omittingEmptySubsequences: false)
    guard fields.map(\.utf8.count) == [4, 2, 2],
      text.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) }),
      let year = Int(fields[0]), let month = Int(fields[1]), let day = Int(fields[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  package var text: String {
    [(year, 4), (month, 2), (day, 2)].map { number, width in
      let digits = String(number)
      return String(repeating: "0", count: width - digits.utf8.count) + digits
    }.joined(separator: "-")
  }
}
