/// Parses columns of numbers from text files of heart-rate variability programs.
///
/// The column separator and the decimal separator are detected once for the whole text, because a comma can
/// be either.
struct NumberColumns {
  struct Line {
    /// Line number, starting at 1.
    let number: Int
    let text: Substring
  }

  /// A parse error and its line number.
  struct ParseError: Error {
    var line: Int
    var what: String
  }

  /// The header line; `nil` without a header.
  private(set) var heading: (line: Int, names: [Substring])?
  /// The data lines.
  private(set) var rows: [Line] = []
  private let separator: Separator

  private enum Separator {
    case character(Character)
    case blanks
    /// The text has a single column.
    case none
  }

  /// Splits a text into header and data lines.
  ///
  /// - Throws: ``ParseError`` with the first invalid line.
  init(_ text: String) throws {
    var lines: [Line] = []
    var count = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      count += 1
      let line = line.trimmed
      if !line.isEmpty, !line.hasPrefix("#") { lines.append(Line(number: count, text: line)) }
    }
    separator = Self.separator(of: lines.map(\.text))
    rows = lines
    if let first = lines.first, fields(of: first).contains(where: { number($0) == nil }) {
      rows.removeFirst()
      heading = (first.number, names(in: first))
    }
    if heading == nil, case .none = separator, let line = rows.first(where: { $0.text.contains(",") }) {
      throw ParseError(
        line: line.number,
        what: "a comma separates columns only below a header, as in RRI,RRI_Time; write decimals with a point"
      )
    }
  }

  /// Returns the column names. A header may be separated by spaces although the data are separated by tabs.
  private func names(in heading: Line) -> [Substring] {
    let names = fields(of: heading)
    guard let count = rows.first.map({ fields(of: $0).count }), names.count < count else { return names }
    let words = heading.text.split(whereSeparator: \.isWhitespace)
    return words.count == count ? words : names
  }

  /// Returns the fields of a line.
  func fields(of line: Line) -> [Substring] {
    let fields: [Substring] =
      switch separator {
      case .character(let mark):
        line.text.split(separator: mark, omittingEmptySubsequences: false).map(\.trimmed)
      case .blanks: line.text.split(whereSeparator: \.isWhitespace)
      case .none: [line.text]
      }
    return fields.map(\.unquoted)
  }

  /// Detects the column separator. Semicolons take precedence over tabs, and tabs over commas. With another
  /// separator, a comma is the decimal separator.
  private static func separator(of lines: [Substring]) -> Separator {
    for mark: Character in [";", "\t"] where lines.contains(where: { $0.contains(mark) }) {
      return .character(mark)
    }
    // A number never contains a space, so ", " separates columns.
    if lines.contains(where: { $0.contains(", ") }) || lines.first?.contains(",") == true,
      lines.first.map({ line in line.contains { $0.isLetter } || line.contains(", ") }) == true
    {
      return .character(",")
    }
    let numbers = lines.filter { line in !line.contains { $0.isLetter } }
    return numbers.contains { line in line.contains { $0.isWhitespace } } ? .blanks : .none
  }

  /// Parses a number.
  ///
  /// - Returns: `nil` if the field is not a number.
  func number(_ field: Substring) -> Double? {
    var text = String(field)
    if case .character(",") = separator {
      guard !text.contains(",") else { return nil }
    } else if text.contains(",") {
      // Thousands separators are not supported: reject a comma beside a point, and a second comma.
      guard !text.contains("."), text.count(where: { $0 == "," }) == 1 else { return nil }
      text = text.replacing(",", with: ".")
    }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let front = drop(while: \.isWhitespace)
    guard let last = front.lastIndex(where: { !$0.isWhitespace }) else { return front }
    return front[...last]
  }

  fileprivate var unquoted: Substring {
    count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? dropFirst().dropLast() : self
  }
}
