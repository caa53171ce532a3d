/// Text in as many lines as it needs.
enum WrappedText {
  /// The words of a text in lines of at most so many columns; what is wider than a line is broken.
  ///
  /// - Parameter indent: So many spaces stand before each line, where there is room for them.
  static func lines(_ text: String, columns: Int, indent: Int = 0) -> [String] {
    let margin = String(repeating: " ", count: min(indent, max(0, columns - 20)))
    let room = max(1, columns - margin.columns)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ").flatMap({ pieces(of: String($0), room) }) {
      if line.isEmpty {
        line = word
      } else if line.columns + 1 + word.columns <= room {
        line += " " + word
      } else {
        lines.append(margin + line)
        line = word
      }
    }
    return line.isEmpty ? lines : lines + [margin + line]
  }

  private static func pieces(of word: String, _ room: Int) -> [String] {
    var pieces: [String] = []
    var rest = Substring(word)
    while rest.columns > room {
      // A character of two columns in a room of one stands alone: there is no end otherwise.
      let piece = max(1, String(rest).prefix(columns: room).count)
      pieces.append(String(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    return rest.isEmpty ? pieces : pieces + [String(rest)]
  }
}

extension Substring {
  fileprivate var columns: Int { String(self).columns }
}

extension String {
  /// The text in at most so many columns; in the middle of one that is too long stands `…`.
  func shortened(toColumns columns: Int) -> String {
    guard self.columns > columns else { return self }
    let tail = String(String(reversed()).prefix(columns: (columns - 1) / 2).reversed())
    return prefix(columns: columns - 1 - tail.columns) + "…" + tail
  }
}
