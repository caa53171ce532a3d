import Foundation
import Testing

@testable import HealthKit

/// Compares this module with each row of the tables about Apple's module.
@Suite struct TablesAgainstFactsTests {
  @Test func `every quantity type has its raw string, unit and style`() throws {
    let rows = try FactTable.rows("quantity-types.tsv")
    #expect(rows.count == 121)
    let styles: [String: HKQuantityAggregationStyle] = [
      "cumulative": .cumulative, "discreteArithmetic": .discreteArithmetic,
      "discreteTemporallyWeighted": .discreteTemporallyWeighted,
      "discreteEquivalentContinuousLevel": .discreteEquivalentContinuousLevel,
    ]
    for row in rows {
      let raw = try #require(row["raw_value"])
      let type = try #require(
        HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: raw)), "\(raw)")
      #expect(type.identifier == raw)
      #expect(type.aggregationStyle == styles[row["aggregation_style_sdk26.0"] ?? ""], "\(raw)")
      let unit = row["canonical_unit"].flatMap { $0.isEmpty ? nil : $0 } ?? "count"
      #expect(type.is(compatibleWith: HKUnit(from: unit)), "\(raw)")
      #expect(type.isShareable == (row["third_party_share_allowed_if_known_no"] ?? "").isEmpty, "\(raw)")
    }
    #expect(Set(rows.compactMap { $0["raw_value"] }) == Set(HKQuantityTypeIdentifier.all.map(\.rawValue)))
  }

  @Test func `every category type accepts only its own values`() throws {
    let rows = try FactTable.rows("category-types.tsv")
    #expect(rows.count == 71)
    for row in rows {
      let raw = try #require(row["raw_value"])
      let type = try #require(
        HKObjectType.categoryType(forIdentifier: HKCategoryTypeIdentifier(rawValue: raw)), "\(raw)")
      let values = Set(
        (row["allowed_values"] ?? "").split(separator: ";").compactMap { pair in
          pair.split(separator: "=").last.flatMap { Int($0) }
        })
      let metadata: [String: Any]? =
        type.identifier.hasSuffix("MenstrualFlow") ? [HKMetadataKeyMenstrualCycleStart: true] : nil
      for value in -1...8 {
        let sample = try? HKCategorySample.validated(
          type: type, value: value, start: moment(), end: moment(1), metadata: metadata)
        #expect((sample != nil) == values.contains(value), "\(raw) \(value)")
      }
      #expect(type.isShareable == !(row["notes"] ?? "").contains("not shareable"), "\(raw)")
    }
  }

  @Test func `every constant of an enumeration has its number`() throws {
    let rows = try FactTable.rows("enum-values.tsv")
    // Prefixes of constants that are not enumerations in this module: options, limits and errors.
    let others = [
      "HKQueryOption", "HKStatisticsOption", "HKError", "HKNoError", "HKUnknownError", "HKObjectQuery",
      "HKAnchored",
    ]
    let enumerations = EnumerationValues.table.map { name, values in
      (prefix: name.replacing(".", with: ""), values: values)
    }
    var checked = 0
    for row in rows {
      let constant = try #require(row["objc_constant"])
      guard !others.contains(where: constant.hasPrefix) else { continue }
      let enumeration = enumerations.filter { constant.hasPrefix($0.prefix) }.max {
        $0.prefix.count < $1.prefix.count
      }
      let found = try #require(enumeration, "\(constant)")
      let number = try #require(row["raw_value"].flatMap { Int($0) })
      #expect(found.values.contains(number), "\(constant)")
      checked += 1
    }
    #expect(checked > 420)
  }

  @Test func `every metadata key and string constant is in the sources with its raw string`() throws {
    let sources = try Self.generatedSources()
    for row in try FactTable.rows("metadata-keys.tsv") {
      let (name, raw) = (row["swift_constant"] ?? "", row["raw_string"] ?? "")
      #expect(
        sources.contains { $0.contains("public let \(name) =") && $0.contains("\"\(raw)\"") }, "\(name)")
      #expect(MetadataKind.ofKey[raw] != nil, "\(name)")
    }
    for row in try FactTable.rows("string-constants.tsv") {
      let (name, raw) = (row["constant"] ?? "", row["value"] ?? "")
      guard sources.contains(where: { $0.contains("public let \(name) =") }) else { continue }
      #expect(
        sources.contains { $0.contains("public let \(name) =") && $0.contains("\"\(raw)\"") }, "\(name)")
    }
  }

  private static func generatedSources() throws -> [String] {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let folder = root.appending(path: "Sources/HealthKit/Tables")
    return try ["HKMetadataKey.swift", "StringConstants.swift"].flatMap { name in
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      // A declaration may span two lines.
      return text.replacing(" =\n  ", with: " = ").split(separator: "\n").map(String.init)
    }
  }
}

/// The tables in `Data/facts`, with Apple's identifiers and numbers. The tables from which the package's
/// sources are generated were once derived from them.
enum FactTable {
  /// Returns the rows of a table by column name.
  static func rows(_ name: String) throws -> [[String: String]] {
    var package = URL(filePath: #filePath)
    for _ in 0..<4 { package.deleteLastPathComponent() }
    let text = try String(contentsOf: package.appending(path: "Data/facts/\(name)"), encoding: .utf8)
    let lines = text.split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let head = lines.first else { return [] }
    return lines.dropFirst().map { cells in
      Dictionary(zip(head, cells)) { first, _ in first }
    }
  }
}
