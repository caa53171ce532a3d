import Testing

@testable import healthkit_coverage

@Suite struct CoverageDocumentTests {
  private func catalogue(
    differences: String, additions: String = "HKSource.nickname\tis shorter\n"
  ) throws -> Catalogue {
    try Catalogue(
      sections: "section\ttitle\n5.9\tSources\n",
      symbols: """
        symbol\tkind\tsince\tsection
        HKDeletedObject\tclass\t9.0\t5.9
        HKSource\tclass\t8.0\t5.9
        HKSource.name\tproperty\t\t5.9

        """,
      differences: "symbol\tdifference\n" + differences, additions: "symbol\treason\n" + additions)
  }

  private func surface() throws -> PublicSurface {
    var graph = TinyGraph()
    graph.add("HKSource", "swift.class")
    graph.add("HKSource.name", "swift.property")
    graph.add("HKSource.nickname", "swift.property")
    return try graph.surface()
  }

  @Test func `every symbol is present, different or absent`() throws {
    let coverage = try Coverage(catalogue(differences: "HKSource.name\tis short\n"), surface())
    #expect(coverage.count.present == 1)
    #expect(coverage.count.different == 1)
    #expect(coverage.count.absent == 1)
    let text = CoverageDocument(coverage: coverage).text
    for line in [
      "| 5.9 | Sources | 1 | 1 | 1 | 3 |", "|  | **All** | 1 | 1 | 1 | 3 |",
      "| `HKDeletedObject` | class | 9.0 | absent |", "| `HKSource` | class | 8.0 | present |",
      "| `HKSource.name` | property |  | different: is short |", "- `HKSource.nickname`: is shorter",
    ] {
      #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
    }
  }

  @Test func `an absent symbol cannot have a difference`() throws {
    let failure = #expect(throws: CoverageError.self) {
      try Coverage(catalogue(differences: "HKDeletedObject\tis kept\n"), surface())
    }
    #expect(failure?.description == "healthkit-differences.tsv: HKDeletedObject is not in the module")
  }

  @Test func `a symbol that is in no table is rejected, because it could be Apple's`() throws {
    let failure = #expect(throws: CoverageError.self) {
      try Coverage(catalogue(differences: "", additions: ""), surface())
    }
    #expect(failure?.description.hasPrefix("HKSource.nickname is in the module and in no table") == true)
  }

  @Test func `an addition that does not exist is rejected`() throws {
    let failure = #expect(throws: CoverageError.self) {
      try Coverage(
        catalogue(differences: "", additions: "HKSource.nickname\tis shorter\nHKSauce\tis brown\n"), surface()
      )
    }
    #expect(failure?.description == "healthkit-additions.tsv: HKSauce is not in the module")
  }
}
