extension String {
  /// The directory part of a path; "." for a plain file name.
  ///
  /// Replaces `NSString.deletingLastPathComponent`, which crashes if the name has a single character.
  package var enclosingFolder: String {
    let name = reversed().drop { $0 == "/" }
    guard !name.isEmpty else { return isEmpty ? "." : "/" }
    let above = name.drop { $0 != "/" }
    guard !above.isEmpty else { return "." }
    let folder = above.drop { $0 == "/" }
    return folder.isEmpty ? "/" : String(folder.reversed())
  }
}
