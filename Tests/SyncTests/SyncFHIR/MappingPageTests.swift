import Foundation
import HealthKit
import Testing

@testable import SyncFHIR

/// The page of the mapping, against the table in the code.
@Suite struct MappingPageTests {
  @Test func `the page has the codes that are sent, and no others`() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    let page = try String(
      contentsOf: root.appending(path: "Sources/SyncFHIR/Documentation.docc/SyncFHIR.md"), encoding: .utf8)
    let lines = page.components(separatedBy: "\n")
    let heading = try #require(lines.firstIndex { $0.hasPrefix("Quantity type | LOINC") })
    let written = lines[(heading + 2)...].prefix { !$0.isEmpty }
    #expect(Array(written) == QuantityCode.table.map(row))
  }

  private func row(_ code: QuantityCode) -> String {
    let name = code.identifier.rawValue.dropFirst("HKQuantityTypeIdentifier".count)
    return [
      name.prefix(1).lowercased() + name.dropFirst(),
      code.loinc.map { "\($0.code) \($0.display)" }.joined(separator: "; "),
      code.units.isEmpty ? "its own" : code.units.map { "`\($0.ucum)`" }.joined(separator: ", "),
      code.profile ?? "", code.evidence.rawValue,
    ].joined(separator: " | ")
  }

  @Test func `each code is of a type that there is, and its units are of the type`() throws {
    #expect(QuantityCode.byIdentifier.count == QuantityCode.table.count)
    for code in QuantityCode.table {
      let type = try #require(HKQuantityType.quantityType(forIdentifier: code.identifier))
      for unit in code.units { #expect(type.is(compatibleWith: HKUnit(from: unit.healthKit))) }
      #expect((code.evidence == .vitalSigns) == (code.profile != nil) || code.units.first?.ucum == "mm[Hg]")
    }
  }
}
