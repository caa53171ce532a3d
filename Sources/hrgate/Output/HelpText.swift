extension String {
  /// A command's explanation as ArgumentParser wants it: each paragraph on one line, which it breaks where
  /// the terminal ends. What is indented, and a list of names with their meanings, keeps its lines.
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
