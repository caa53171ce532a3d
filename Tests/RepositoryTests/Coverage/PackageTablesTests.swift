import Foundation
import Testing

@testable import healthkit_coverage

/// Checks the tables of Apple's symbols in `Data`.
@Suite struct PackageTablesTests {
  private let catalogue: Catalogue

  init() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
      .standardized
    // The initializer rejects malformed, unsorted and duplicate rows.
    catalogue = try Catalogue(package: package)
  }

  private func members(of type: String) -> [String] {
    catalogue.symbols.map(\.name).filter { $0.hasPrefix("\(type).") }
  }

  @Test func `the type of every member is listed too`() {
    let names = Set(catalogue.symbols.map(\.name))
    for name in names {
      let owner = name.prefix { $0 != "(" }.split(separator: ".").dropLast().joined(separator: ".")
      // NSNotification.Name is the only type of the tables that belongs to another framework.
      guard !owner.isEmpty, owner != "NSNotification.Name" else { continue }
      #expect(names.contains(owner), "\(name)")
    }
  }

  @Test func `every identifier and metadata key is listed`() {
    // 120 identifiers and one of iOS 27, plus init(rawValue:) and rawValue.
    #expect(members(of: "HKQuantityTypeIdentifier").count == 121 + 2)
    // 70 identifiers and two of iOS 27, plus init(rawValue:) and rawValue.
    #expect(members(of: "HKCategoryTypeIdentifier").count == 72 + 2)
    #expect(members(of: "HKWorkoutActivityType").count == 84)
    #expect(catalogue.symbols.count { $0.name.hasPrefix("HKMetadataKey") } == 71)
  }

  @Test func `every section has symbols`() {
    for section in catalogue.sections {
      #expect(catalogue.symbols.contains { $0.section == section.number }, "\(section.number)")
    }
  }

  @Test func `no cell breaks the document's tables`() {
    for text in catalogue.symbols.map(\.name) + catalogue.differences.values + catalogue.additions.values
      + catalogue.sections.map(\.title)
    {
      #expect(!text.contains("|") && !text.isEmpty, "\(text)")
    }
  }
}
