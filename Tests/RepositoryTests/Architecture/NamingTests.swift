import Foundation
import Testing

@Suite struct NamingTests {
  @Test func `no file or type has a name that does not say what it contains`() {
    for file in SourceFile.all {
      let parts = file.path.split { $0 == "/" || $0 == "." || $0 == "+" }.map(String.init)
      let names = (parts + file.types).filter { !$0.hasPrefix(Architecture.namesOfOthers) }
      for word in Architecture.emptyNames {
        #expect(!names.contains { $0.hasSuffix(word) }, "\(file): say what it is, not \(word)")
      }
    }
  }

  @Test func `no type has its module's name, which would hide the module`() {
    for file in SourceFile.all {
      #expect(!file.types.contains(file.target), "\(file)")
    }
  }

  /// Generated tables are exempt: they are searched, not read.
  @Test func `no file is longer than the limit`() {
    for file in SourceFile.all where file.lines.first?.hasPrefix("// Made from Data/") != true {
      #expect(file.lines.count <= Architecture.longestFile, "\(file) has \(file.lines.count) lines")
    }
  }
}
