import Testing

@testable import HealthStorage

@Suite struct EnclosingFolderTests {
  @Test(arguments: [
    ("b", "."), ("é", "."), ("ab", "."), ("./b", "."), ("a/b", "a"), ("a//b", "a"), ("a/b/", "a"),
    ("/b", "/"), ("//b", "/"), ("/a/b", "/a"), ("/a/b//", "/a"), ("/", "/"), ("", "."),
    ("..", "."), ("../b", ".."),
  ])
  func `the directory of a path is found even for a name of one character`(path: String, folder: String) {
    #expect(path.enclosingFolder == folder)
  }
}
