/// Which name somebody may have meant; capitals make no difference.
package enum NearestName {
  /// - Returns: The name that takes the fewest changes, where a third of its letters at most are wrong.
  package static func of(_ name: String, among names: [String]) -> String? {
    let typed = Array(name.lowercased().replacing("_", with: "-").utf8)
    let near = names.map { (name: $0, changes: changes(typed, Array($0.lowercased().utf8))) }.min {
      $0.changes < $1.changes
    }
    guard let near, near.changes <= max(1, near.name.utf8.count / 3) else { return nil }
    return near.name
  }

  /// How many letters are inserted, left out, replaced or swapped with their neighbour.
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
