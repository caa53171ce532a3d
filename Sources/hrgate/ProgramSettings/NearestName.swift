/// Suggests a name for a typo, ignoring case.
package enum NearestName {
  /// Returns the known name that is most similar to a given one.
  /// - Returns: The name with the smallest edit distance, if at most a third of its letters differ.
  package static func of(_ name: String, among names: [String]) -> String? {
    let typed = Array(name.lowercased().replacing("_", with: "-").utf8)
    let near = names.map { (name: $0, changes: changes(typed, Array($0.lowercased().utf8))) }.min {
      $0.changes < $1.changes
    }
    guard let near, near.changes <= max(1, near.name.utf8.count / 3) else { return nil }
    return near.name
  }

  /// Returns the edit distance: insertions, deletions, replacements and swaps of adjacent letters.
  private static func changes(_ from: [UInt8], _ to: [UInt8]) -> Int {
    var rows = [Array(0...to.count)]
    for (i, letter) in from.enumerated() {
      var row = [i + 1]
      for (j, other) in to.enumerated() {
        var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == to[j - 1], other == from[i - 1] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[from.count][to.count]
  }
}
