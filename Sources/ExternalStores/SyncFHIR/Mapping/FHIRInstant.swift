import Foundation

/// Formats dates as FHIR `dateTime` with microseconds, the resolution of the store, such as
/// `2026-11-21T07:09:00.123456+01:00`.
enum FHIRInstant {
  /// Returns the text of a date.
  ///
  /// - Parameter zone: The time zone of the sample, or `nil` for UTC.
  /// - Returns: `nil` outside the years 1 to 9999, which `dateTime` cannot express.
  static func text(_ date: Date, in zone: TimeZone?) -> String? {
    let microseconds = (date.timeIntervalSinceReferenceDate * 1e6).rounded()
    guard abs(microseconds) < 1e18 else { return nil }
    let (seconds, fraction) = floorDivision(Int64(microseconds), 1_000_000)
    let whole = Date(timeIntervalSinceReferenceDate: Double(seconds))
    // FHIR's UTC offsets are whole minutes, but offsets in the nineteenth century have seconds. Such an
    // offset is rounded; the text still denotes the same instant.
    let offset = (zone?.secondsFromGMT(for: whole) ?? 0) / 60
    guard abs(offset) <= 14 * 60 else { return text(date, in: nil) }
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    let local = calendar.dateComponents(
      [.era, .year, .month, .day, .hour, .minute, .second],
      from: whole.addingTimeInterval(Double(offset) * 60))
    guard let era = local.era, era == 1, let year = local.year, (1...9999).contains(year) else { return nil }
    let day = [padded(year, 4), padded(local.month ?? 0, 2), padded(local.day ?? 0, 2)].joined(separator: "-")
    let time = [local.hour, local.minute, local.second].map { padded($0 ?? 0, 2) }.joined(separator: ":")
    return "\(day)T\(time).\(padded(Int(fraction), 6))\(offsetText(zone == nil ? nil : offset))"
  }

  private static func offsetText(_ minutes: Int?) -> String {
    guard let minutes else { return "Z" }
    let size = minutes.magnitude
    return (minutes < 0 ? "-" : "+") + padded(Int(size / 60), 2) + ":" + padded(Int(size % 60), 2)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func floorDivision(_ number: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
