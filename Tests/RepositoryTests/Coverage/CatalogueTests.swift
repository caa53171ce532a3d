import Foundation
import Testing

@testable import healthkit_coverage

@Suite struct CatalogueTests {
  private let sections = "section\ttitle\n5.9\tSources\n5.10\tStatistics\n"
  private let differences = "symbol\tdifference\n"

  private func catalogue(
    symbols: String, differences: String? = nil, additions: String = ""
  ) throws -> Catalogue {
    try Catalogue(
      sections: sections, symbols: "symbol\tkind\tsince\tsection\n" + symbols,
      differences: differences ?? self.differences, additions: "symbol\treason\n" + additions)
  }

  @Test func `a table is parsed into symbols`() throws {
    let symbols = try catalogue(symbols: "HKSource\tclass\t8.0\t5.9\nHKStatistics\tclass\t\t5.10\n").symbols
    #expect(symbols.map(\.name) == ["HKSource", "HKStatistics"])
    #expect(symbols.map(\.since) == ["8.0", ""])
  }

  @Test(arguments: [
    ("HKSource\tclass\t8.0\n", "3 fields instead of 4"),
    ("HKSource\tclass\t8.0\t5.9", "the last line has no newline"),
    ("HKSource\tthing\t8.0\t5.9\n", "unknown kind: thing"),
    ("HKSource\tclass\t8.0\t5.8\n", "without a title: 5.8"),
    ("HKSource\tclass\t8.0\t5.9\nHKSource\tclass\t8.0\t5.10\n", "HKSource is listed twice"),
    (
      "HKStatistics\tclass\t\t5.10\nHKSource\tclass\t8.0\t5.9\n", "HKSource must come before HKStatistics"
    ),
  ])
  func `a damaged table is rejected with the position of the error`(symbols: String, reason: String) throws {
    let failure = #expect(throws: CoverageError.self) { try catalogue(symbols: symbols) }
    #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
  }

  @Test func `a difference must name a symbol of the table`() throws {
    let failure = #expect(throws: CoverageError.self) {
      try catalogue(symbols: "HKSource\tclass\t8.0\t5.9\n", differences: differences + "HKSauce\tis brown\n")
    }
    #expect(failure?.description == "healthkit-differences.tsv: HKSauce is not in healthkit-symbols.tsv")
  }

  @Test func `an addition is not one of Apple's symbols, and covers its members`() throws {
    let catalogue = try catalogue(symbols: "HKSource\tclass\t8.0\t5.9\n", additions: "HKSauce\tis brown\n")
    #expect(catalogue.addition(of: "HKSauce") == "HKSauce")
    #expect(catalogue.addition(of: "HKSauce.Pot.init(of:and.so.on:)") == "HKSauce")
    #expect(catalogue.addition(of: "HKSaucer") == nil)
    let failure = #expect(throws: CoverageError.self) {
      try self.catalogue(symbols: "HKSource\tclass\t8.0\t5.9\n", additions: "HKSource\tis ours\n")
    }
    #expect(failure?.description.contains("HKSource is Apple's") == true)
  }
}
