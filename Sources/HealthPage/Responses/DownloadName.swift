import Foundation

/// Creates names for downloaded files from the time range, source and kind of their content.
enum DownloadName {
  /// Returns the value of `Content-Disposition` for a file.
  /// - Parameters:
  ///   - start: The time at which the content begins; `nil` if unknown.
  ///   - end: The time at which it ends; `nil` if it is not of a range.
  ///   - source: The name of the source; `nil` if there are several.
  ///   - kind: The kind of content, such as `rr`.
  static func disposition(
    _ start: Date?, to end: Date? = nil, of source: String? = nil, _ kind: String, extension ending: String,
    zone: TimeZone = .current
  ) -> String {
    var parts: [String] = []
    if let start {
      let (first, last) = (minute(start, zone), end.map { minute($0, zone) })
      parts.append("\(first.day) \(first.time)")
      // The day is not repeated.
      if let last, last != first {
        parts.append(last.day == first.day ? "to \(last.time)" : "to \(last.day) \(last.time)")
      }
    }
    if let source = source.map(plain), !source.isEmpty { parts.append(source) }
    parts.append(kind)
    return "attachment; filename=\"\(parts.joined(separator: " ")).\(ending)\""
  }

  /// Returns the day and the minute of a time, such as `2026-11-27` and `1720`.
  private static func minute(_ time: Date, _ zone: TimeZone) -> (day: String, time: String) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parted = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: time)
    func digits(_ number: Int?, _ width: Int = 2) -> String {
      let text = String(number ?? 0)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let day = "\(digits(parted.year, 4))-\(digits(parted.month))-\(digits(parted.day))"
    return (day, "\(digits(parted.hour))\(digits(parted.minute))")
  }

  /// Returns the ASCII letters, digits and spaces among the first forty characters of a name.
  private static func plain(_ name: String) -> String {
    let kept = name.prefix(40).unicodeScalars.map { scalar in
      let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isKept ? Character(scalar) : " "
    }
    return String(kept).split(separator: " ").joined(separator: " ")
  }
}
