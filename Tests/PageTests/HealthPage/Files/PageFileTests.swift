import Foundation
import Testing

@testable import HealthPage

/// Tests the files of the page, which are embedded in the program.
@Suite struct PageFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../Sources/HealthPage/Page").standardized

  private static func names() -> [String] {
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(
        atPath: folder.appending(path: name).path, isDirectory: &isFolder)
      return exists && !isFolder.boolValue && !name.split(separator: "/").contains { $0.hasPrefix(".") }
    }
  }

  @Test func `each file of the page is embedded unchanged (scripts/page-files writes the table)`()
    throws
  {
    let files = PageFiles()
    #expect(files.names == Set(Self.names()))
    for name in Self.names() {
      let file = try #require(files.file(at: "/" + name), "\(name)")
      #expect(try Data(contentsOf: Self.folder.appending(path: name)) == Data(file.bytes), "\(name)")
    }
  }

  @Test func `file names are lowercase`() {
    for name in Self.names() { #expect(name.wholeMatch(of: #/[a-z0-9\/-]+\.[a-z]+/#) != nil, "\(name)") }
  }

  @Test func `the media type follows from the extension, and unused extensions have none`() {
    #expect(MediaType.ofFile(named: "a/b.js") == "text/javascript; charset=utf-8")
    #expect(MediaType.ofFile(named: "index.html") == "text/html; charset=utf-8")
    #expect(MediaType.ofFile(named: "x.exe") == nil)
  }
}
