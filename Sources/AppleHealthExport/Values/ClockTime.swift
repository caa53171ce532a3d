/// A time of day in a list of beats, written in the phone's language: `7:47:41.86 AM`, `07:47:41,86`,
/// `下午7:47:41.86`. AM and PM are ignored, because the time of the record determines which one it is.
struct ClockTime: Hashable {
  /// The hour on a 12-hour or 24-hour clock.
  var hour: Int64
  /// The time since the full hour, in microseconds.
  var afterHour: Int64

  /// The time in microseconds since midnight or, on a 12-hour clock, since midnight or noon.
  var microseconds: Int64 { hour * Self.hourLength + afterHour }

  static let hourLength: Int64 = 3_600_000_000

  init(_ microseconds: Int64) {
    hour = microseconds / Self.hourLength
    afterHour = microseconds % Self.hourLength
  }

  /// Parses a time of day.
  /// - Returns: `nil` for a text without hours, minutes and seconds.
  init?(_ text: String) {
    let fields = Self.numbers(in: text)
    guard (3...4).contains(fields.count), fields.allSatisfy({ $0.count <= 6 }) else { return nil }
    let numbers = fields.map { $0.reduce(0) { $0 * 10 + $1 } }
    guard numbers[0] <= 24, numbers[1] < 60, numbers[2] < 60 else { return nil }
    let fraction = fields.count == 4 ? fields[3] : []
    let microseconds = (0..<6).reduce(0) { $0 * 10 + ($1 < fraction.count ? fraction[$1] : 0) }
    hour = numbers[0]
    afterHour = (numbers[1] * 60 + numbers[2]) * 1_000_000 + microseconds
  }

  /// Returns the digits of each number in a text. Other characters separate the numbers.
  private static func numbers(in text: String) -> [[Int64]] {
    var numbers: [[Int64]] = []
    var isInNumber = false
    for scalar in text.unicodeScalars {
      let digit = DecimalDigits.value(scalar)
      if let digit {
        if isInNumber { numbers[numbers.count - 1].append(digit) } else { numbers.append([digit]) }
      }
      isInNumber = digit != nil
    }
    return numbers
  }

  /// The time as text: with hundredths of a second, as in Apple's exports, or with microseconds if needed.
  var text: String {
    let seconds = Int(microseconds / 1_000_000)
    let fraction = Int(microseconds % 1_000_000)
    let places =
      fraction % 10_000 == 0 ? ExportTime.digits(fraction / 10_000, 2) : ExportTime.digits(fraction, 6)
    return "\(ExportTime.digits(seconds / 3600, 2)):\(ExportTime.digits(seconds / 60 % 60, 2)):"
      + "\(ExportTime.digits(seconds % 60, 2)).\(places)"
  }
}
