extension String {
  /// Of a path to a file: the folder that it is in, which is "." for a name alone.
  ///
  /// Foundation's `deletingLastPathComponent` of an `NSString` traps on a name of one character.
  package var enclosingFolder: String {
    let name = reversed().drop { $0 == "/" }
    guard !name.isEmpty else { return isEmpty ? "." : "/" }
    let above = name.drop { $0 != "/" }
    guard !above.isEmpty else { return "." }
    let folder = above.drop { $0 == "/" }
    return folder.isEmpty ? "/" : String(folder.reversed())
  }
}
