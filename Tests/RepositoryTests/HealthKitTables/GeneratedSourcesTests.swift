import Foundation
import Testing

@testable import healthkit_tables

@Suite struct GeneratedSourcesTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  @Test func `the generated tables match the data files`() throws {
    let generated = try GeneratedSources(dataOf: Self.root)
    for (path, text) in generated.files {
      let written = try? String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
      #expect(written == text, "\(path) is stale: run scripts/generate")
    }
    #expect(Set(try GeneratedSources.existing(in: Self.root)) == Set(generated.files.keys))
  }

  @Test func `a row with too few cells is rejected`() {
    #expect(throws: Table.MalformedError.self) { try Table(parsing: "a\tb\n1\n", name: "x") }
    #expect(throws: Table.MalformedError.self) { try Table(parsing: "", name: "x") }
  }

  @Test func `a deprecated alias does not become a case`() throws {
    let table = try Table(
      parsing: "enumeration\trawType\tcase\tvalue\tdeprecatedAliasOf\tabout\n"
        + "HKX\tInt\t\t\t\tAn X.\nHKX\tInt\tnew\t1\t\t\nHKX\tInt\told\t1\tnew\t\n", name: "x")
    let text = Enumerations.source(table).text
    #expect(text.contains("case new = 1"))
    #expect(!text.contains("case old"))
    #expect(text.contains("public static var old: Self { .new }"))
  }
}
