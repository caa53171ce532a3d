import Foundation

/// Creates names for downloaded files from the start time, source and kind of their content.
enum DownloadName {
  /// Returns the value of `Content-Disposition` for a file.
  /// - Parameters:
  ///   - start: The time at which the content begins; `nil` if unknown.
  ///   - source: The name of the source; `nil` if there are several.
  ///   - kind: The kind of content, such as `rr`.
  static func disposition(
    _ start: Date?, of source: String? = nil, _ kind: String, extension ending: String,
    zone: TimeZone = .current
  ) -> String {
    var parts: [String] = []
    if let start {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let parted = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: start)
      func digits(_ number: Int?, _ width: Int = 2) -> String {
        let text = String(number ?? 0)
        return String(repeating: "0", count: max(0, width - text.count)) + text
      }
      let day = "\(digits(parted.year, 4))-\(digits(parted.month))-\(digits(parted.day))"
      parts.append("\(day) \(digits(parted.hour))\(digits(parted.minute))")
    }
    if let source = source.map(plain), !source.isEmpty { parts.append(source) }
    parts.append(kind)
    return "attachment; filename=\"\(parts.joined(separator: " ")).\(ending)\""
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
