/// A text of numbers in columns, as programs for heart-rate variability write them, taken apart.
///
/// What parts columns, and what parts decimals, is one for the whole text, and found before anything is read:
/// a comma is both somewhere.
struct NumberColumns {
  struct Line {
    /// From 1 on.
    let number: Int
    let text: Substring
  }

  /// What is wrong, and in which line.
  struct Fault: Error {
    var line: Int
    var what: String
  }

  /// What stands above the numbers; `nil` where nothing does.
  private(set) var heading: (line: Int, names: [Substring])?
  /// The lines with numbers.
  private(set) var rows: [Line] = []
  private let separator: Separator

  private enum Separator {
    case character(Character)
    case blanks
    /// There is one column.
    case none
  }

  /// - Throws: ``Fault``.
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
      throw Fault(
        line: line.number,
        what: "a comma parts columns below a heading alone, as RRI,RRI_Time; decimals are after a point")
    }
  }

  /// A heading may be parted by blanks where the numbers are by tabs.
  private func names(in heading: Line) -> [Substring] {
    let names = fields(of: heading)
    guard let count = rows.first.map({ fields(of: $0).count }), names.count < count else { return names }
    let words = heading.text.split(whereSeparator: \.isWhitespace)
    return words.count == count ? words : names
  }

  /// What stands in a line, column by column.
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

  /// The first that any line has: semicolons before tabs, and those before commas. Where there is another, a
  /// comma is the decimals'.
  private static func separator(of lines: [Substring]) -> Separator {
    for mark: Character in [";", "\t"] where lines.contains(where: { $0.contains(mark) }) {
      return .character(mark)
    }
    // Nobody writes a blank within a number.
    if lines.contains(where: { $0.contains(", ") }) || lines.first?.contains(",") == true,
      lines.first.map({ line in line.contains { $0.isLetter } || line.contains(", ") }) == true
    {
      return .character(",")
    }
    let numbers = lines.filter { line in !line.contains { $0.isLetter } }
    return numbers.contains { line in line.contains { $0.isWhitespace } } ? .blanks : .none
  }

  /// - Returns: `nil` for what is no number.
  func number(_ field: Substring) -> Double? {
    var text = String(field)
    if case .character(",") = separator {
      guard !text.contains(",") else { return nil }
    } else if text.contains(",") {
      // One that parts thousands is no number here: a point beside it, or a second one, says so.
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
