import Foundation

/// A Swift file of the package, as text.
struct SourceFile: CustomStringConvertible {
  let target: String
  let path: String
  let lines: [Substring]

  var description: String { path }

  /// The modules that the file imports.
  var imports: [String] {
    lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place <= 3, !line.hasPrefix("//"),
        words[..<place].allSatisfy({
          $0.hasPrefix("@") || ["public", "internal", "package", "private"].contains($0)
        })
      else { return nil }
      return words.dropFirst(place + 1).last.map { String($0.prefix { $0 != "." }) }
    }
  }

  /// The names of the types that the file declares.
  var types: [String] {
    lines.compactMap { line in
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      guard
        let keyword = words.firstIndex(where: {
          ["struct", "class", "enum", "actor", "protocol"].contains($0)
        }),
        keyword + 1 < words.count, !line.drop(while: \.isWhitespace).hasPrefix("//"),
        words[..<keyword].allSatisfy({ Self.modifiers.contains($0) })
      else { return nil }
      return String(words[keyword + 1])
    }
  }

  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "final", "open", "indirect", "nonisolated",
  ]

  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardized

  /// Every Swift file of the targets, without tests.
  static let all = files(under: Architecture.roots)

  /// Every Swift file of the tests.
  static let tests = files(under: ["Tests"])

  private static func files(under folders: [String]) -> [SourceFile] {
    let files = folders.flatMap { folder in
      FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        .map(Array.init) ?? []
    }
    return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.compactMap { url in
      guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
      let path = String(url.standardized.path.dropFirst(root.path.count)).drop { $0 == "/" }
      return SourceFile(
        target: String(path.split(separator: "/")[1]), path: String(path),
        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }
}
