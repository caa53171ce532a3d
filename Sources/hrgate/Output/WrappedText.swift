/// Wraps text.
enum WrappedText {
  /// Wraps a text into lines of at most `columns`. Longer words are split.
  ///
  /// - Parameter indent: Number of spaces before each line, if they fit.
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
      // Take at least one character, even if it is wider than the line; otherwise the loop would not end.
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
  /// Shortens the text to at most `columns`, with `…` in the middle.
  func shortened(toColumns columns: Int) -> String {
    guard self.columns > columns else { return self }
    let tail = String(String(reversed()).prefix(columns: (columns - 1) / 2).reversed())
    return prefix(columns: columns - 1 - tail.columns) + "…" + tail
  }
}

extension String {
  /// Joins each paragraph into one line, which ArgumentParser wraps at the terminal's width. Indented lines
  /// and lists of names with meanings keep their line breaks.
  static func paragraphs(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .split(whereSeparator: \.isEmpty)
      .map { block in
        let isList = block.count > 1 && block.allSatisfy { $0.firstMatch(of: #/^\w+: /#) != nil }
        return isList ? block.joined(separator: "\n") : joined(block)
      }
      .joined(separator: "\n\n")
  }

  private static func joined(_ block: ArraySlice<Substring>) -> String {
    var lines: [String] = []
    var isText = false
    for line in block {
      let continues = isText && !line.hasPrefix("  ")
      isText = !line.hasPrefix("  ")
      if continues { lines[lines.count - 1] += " " + line } else { lines.append(String(line)) }
    }
    return lines.joined(separator: "\n")
  }
}
