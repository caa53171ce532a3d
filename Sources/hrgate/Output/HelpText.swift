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
