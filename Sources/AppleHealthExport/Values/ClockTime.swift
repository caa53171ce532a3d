/// A time of day as an export states it, in the manner of the phone's language: `7:47:41.86 AM`,
/// `07:47:41,86`.
enum ClockTime {
  /// - Returns: microseconds since midnight.
  static func parse(_ text: String) -> Int64? {
    let fields = text.prefix { $0.isNumber || ":.,".contains($0) }
      .split(omittingEmptySubsequences: false) { ":.,".contains($0) }
    guard fields.count == 3 || fields.count == 4, fields.allSatisfy({ (1...6).contains($0.utf8.count) }),
      let hour = Int64(fields[0]), let minute = Int64(fields[1]), let second = Int64(fields[2]),
      minute < 60, second < 60
    else { return nil }
    let digits = fields.count == 4 ? fields[3] : "0"
    guard let fraction = Int64(digits + String(repeating: "0", count: 6 - digits.utf8.count)) else {
      return nil
    }
    let half = text.lowercased().last { $0.isLetter && "ap".contains($0) }
    guard (half == nil ? 0..<24 : 1..<13).contains(hour) else { return nil }
    let hourOfDay = half == nil ? hour : hour % 12 + (half == "p" ? 12 : 0)
    return ((hourOfDay * 60 + minute) * 60 + second) * 1_000_000 + fraction
  }

  /// In hundredths of a second, as Apple has it, or in microseconds where it must be.
  static func text(_ microseconds: Int64) -> String {
    let seconds = Int(microseconds / 1_000_000)
    let fraction = Int(microseconds % 1_000_000)
    let places =
      fraction % 10_000 == 0 ? ExportTime.digits(fraction / 10_000, 2) : ExportTime.digits(fraction, 6)
    return "\(ExportTime.digits(seconds / 3600, 2)):\(ExportTime.digits(seconds / 60 % 60, 2)):"
      + "\(ExportTime.digits(seconds % 60, 2)).\(places)"
  }
}
