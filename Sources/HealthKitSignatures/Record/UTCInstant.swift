/// A microsecond of the years 1 to 9999, and its text as a DER `GeneralizedTime` (X.690 §11.7): UTC, with
/// seconds, and with a fraction only if there is one, without trailing zeros: `20250102030405.25Z`.
struct UTCInstant: Hashable, Comparable, Sendable {
  private static let second: Int64 = 1_000_000
  private static let secondsOfDay: Int64 = 86_400
  /// From 0001-01-01 until before 10000-01-01, in microseconds since 1970.
  private static let range: Range<Int64> = -62_135_596_800_000_000..<253_402_300_800_000_000

  let microseconds: Int64
  /// Seconds since 1970, rounded down.
  var wholeSeconds: Int { Int(microseconds.flooredDivision(by: Self.second).quotient) }

  init?(microseconds: Int64) {
    guard Self.range.contains(microseconds) else { return nil }
    self.microseconds = microseconds
  }

  static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}

// MARK: - Text

extension UTCInstant {
  var text: String {
    let (seconds, micros) = microseconds.flooredDivision(by: Self.second)
    let (days, time) = seconds.flooredDivision(by: Self.secondsOfDay)
    let day = CivilDay(daysSince1970: days)
    var text = day.year.digits(4) + day.month.digits(2) + day.day.digits(2)
    text += (time / 3600).digits(2) + (time / 60 % 60).digits(2) + (time % 60).digits(2)
    guard micros > 0 else { return text + "Z" }
    var fraction = micros.digits(6)
    while fraction.last == "0" { fraction.removeLast() }
    return "\(text).\(fraction)Z"
  }

  /// nil for anything but the text of an instant, to the letter: a 30th of February, an hour 24, a trailing
  /// zero.
  init?(text: String) {
    let characters = Array(text.utf8)
    guard (15...22).contains(characters.count), let digits = Self.digits(of: characters) else { return nil }
    func number(_ range: Range<Int>) -> Int64 { digits[range].reduce(0) { $0 * 10 + $1 } }
    let day = CivilDay(year: number(0..<4), month: number(4..<6), day: number(6..<8))
    let time = number(8..<10) * 3600 + number(10..<12) * 60 + number(12..<14)
    let fraction = number(14..<20)
    self.init(microseconds: (day.daysSince1970 * Self.secondsOfDay + time) * Self.second + fraction)
    // What the calendar does not know comes out as another day or time.
    guard self.text == text else { return nil }
  }

  /// Fourteen digits, and six of the fraction.
  private static func digits(of characters: [UInt8]) -> [Int64]? {
    guard characters.last == UInt8(ascii: "Z") else { return nil }
    var fraction = characters[14...].dropLast()
    if let point = fraction.popFirst(), point != UInt8(ascii: ".") { return nil }
    let zeros = repeatElement(UInt8(ascii: "0"), count: 6 - min(fraction.count, 6))
    let digits = (characters[..<14] + fraction + zeros).map { Int64($0) - 0x30 }
    return digits.allSatisfy { (0...9).contains($0) } ? digits : nil
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  fileprivate func digits(_ count: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }
}
