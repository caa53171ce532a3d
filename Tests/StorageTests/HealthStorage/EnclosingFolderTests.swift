import Testing

@testable import HealthStorage

@Suite struct EnclosingFolderTests {
  @Test(arguments: [
    ("b", "."), ("é", "."), ("ab", "."), ("./b", "."), ("a/b", "a"), ("a//b", "a"), ("a/b/", "a"),
    ("/b", "/"), ("//b", "/"), ("/a/b", "/a"), ("/a/b//", "/a"), ("/", "/"), ("", "."),
    ("..", "."), ("../b", ".."),
  ])
  func `the folder of a file, be its name as short as it likes`(path: String, folder: String) {
    #expect(path.enclosingFolder == folder)
  }
}
