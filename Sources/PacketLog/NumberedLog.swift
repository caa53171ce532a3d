/// The names of the files of one recording: a number before the extension.
public enum NumberedLog {
  /// The path of a part, the first of which is number 1: with three digits `gym-002.btsnoop` of
  /// `gym.btsnoop`.
  ///
  /// - Parameter digits: So many at least, which makes the names sort as the parts were written.
  public static func path(_ number: Int, of path: String, digits: Int) -> String {
    let (stem, ending) = split(path)
    let text = String(number)
    return stem + "-" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text + ending
  }

  /// Which part of `path` the file of this name is, a name without its folder.
  ///
  /// - Returns: `nil` for a name that is no part's.
  public static func number(ofFileNamed name: String, of path: String, digits: Int) -> Int? {
    let (stem, ending) = split(
      path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    guard name.hasPrefix(stem + "-"), name.hasSuffix(ending) else { return nil }
    let text = name.dropFirst(stem.count + 1).dropLast(ending.count)
    guard text.utf8.count >= digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Before and after the place of the number.
  private static func split(_ path: some StringProtocol) -> (stem: String, ending: String) {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[name...].lastIndex(of: "."), dot > name else { return (String(path), "") }
    return (String(path[..<dot]), String(path[dot...]))
  }
}
