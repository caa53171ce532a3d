import Foundation

/// The name of a downloaded file: when its content begins, what it is of, and what it is.
enum DownloadName {
  /// The value of `Content-Disposition`.
  /// - Parameters:
  ///   - start: When the content begins; `nil` if that is not known.
  ///   - source: The name of the source; `nil` if there are several.
  ///   - kind: Such as `rr`.
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

  /// The letters, digits and spaces of a name that are ASCII, of the first forty characters.
  private static func plain(_ name: String) -> String {
    let kept = name.prefix(40).unicodeScalars.map { scalar in
      let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isKept ? Character(scalar) : " "
    }
    return String(kept).split(separator: " ").joined(separator: " ")
  }
}
