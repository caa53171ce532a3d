/// The file names of a recording that is split into numbered files.
///
/// ```swift
/// let path = NumberedLog.path(2, of: "gym.btsnoop", digits: 3)  // gym-002.btsnoop
/// ```
public enum NumberedLog {
  /// Returns the path of a file: file 2 of `gym.btsnoop` is `gym-002.btsnoop` with three digits.
  ///
  /// - Parameters:
  ///   - number: The number of the file, starting at 1.
  ///   - path: The path of the recording.
  ///   - digits: Minimum number of digits, so that the files are in order when sorted by name.
  public static func path(_ number: Int, of path: String, digits: Int) -> String {
    let (stem, ending) = split(path)
    let text = String(number)
    return stem + "-" + String(repeating: "0", count: max(0, digits - text.utf8.count)) + text + ending
  }

  /// Returns the number of a file.
  ///
  /// - Parameter name: A file name without its directory.
  /// - Returns: The number, or `nil` if the file does not belong to the recording at `path`.
  public static func number(ofFileNamed name: String, of path: String, digits: Int) -> Int? {
    let (stem, ending) = split(
      path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    guard name.hasPrefix(stem + "-"), name.hasSuffix(ending) else { return nil }
    let text = name.dropFirst(stem.count + 1).dropLast(ending.count)
    guard text.utf8.count >= digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Splits a path at the position of the number: before the file name extension.
  private static func split(_ path: some StringProtocol) -> (stem: String, ending: String) {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[name...].lastIndex(of: "."), dot > name else { return (String(path), "") }
    return (String(path[..<dot]), String(path[dot...]))
  }
}
