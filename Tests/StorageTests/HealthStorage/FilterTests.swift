import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

@Suite struct FilterTests {
  /// The stored samples, and for each the sample that contains it.
  private struct Stored {
    var records: [SampleRecord] = []
    var holder: [UUID: SampleRecord] = [:]
  }

  /// Returns whether a record matches, computed without SQL.
  private func matches(_ filter: SampleFilter, _ record: SampleRecord, _ stored: Stored) -> Bool {
    switch filter {
    case .everything: true
    case .nothing: false
    case .type(let type): record.type == type
    case .uuids(let uuids): uuids.contains(record.uuid)
    case .startsBefore(let time): record.start < time
    case .startsFrom(let time): record.start >= time
    case .endsBefore(let time): record.end < time
    case .endsFrom(let time): record.end >= time
    case .category(let comparison, let value): category(record).map { comparison.holds($0, value) } ?? false
    case .quantity(let comparison, let value, let unit):
      quantity(record).flatMap { order($0, (value, unit)) }.map { comparison.holds($0.rawValue, 0) } ?? false
    case .sources(let sources): sources.contains(record.provenance.revision.source.bundleIdentifier)
    case .revisions(let patterns): patterns.contains { matches($0, record.provenance.revision) }
    case .devices(let devices): record.provenance.device.map(devices.contains) ?? false
    case .deviceField(let field, let texts):
      record.provenance.device.map { $0[field].map(texts.contains) ?? texts.isEmpty } ?? false
    case .metadata(let condition): record.metadata?.values.count == condition.bytes.count
    case .archived(let types, let condition), .container(let types, let condition):
      types.contains(record.type) && archive(record)?.count == condition.bytes.count
    case .members(let container): stored.holder[record.uuid]?.uuid == container
    case .related: false
    case .held(let types): stored.holder[record.uuid].map { types.contains($0.type) } ?? false
    // The random filters do not contain this case. The tests of changes cover it.
    case .storedAfter: false
    case .holding(let member): members(record).contains { matches(member, $0, stored) }
    case .all(let parts): parts.allSatisfy { matches($0, record, stored) }
    case .any(let parts): parts.contains { matches($0, record, stored) }
    case .not(let part): !matches(part, record, stored)
    }
  }

  private func matches(_ pattern: RevisionPattern, _ revision: SourceRevisionRecord) -> Bool {
    func matches<Value>(_ match: RevisionPattern.Match<Value>, _ value: Value) -> Bool {
      match == .anything || match == .exactly(value)
    }
    return pattern.source == revision.source.bundleIdentifier && matches(pattern.version, revision.version)
      && matches(pattern.productType, revision.productType)
      && matches(pattern.operatingSystem, revision.operatingSystem)
  }

  private func quantity(_ record: SampleRecord) -> (value: Double, unit: String)? {
    guard case .quantity(let value, let unit) = record.content else { return nil }
    return (value, unit)
  }

  /// Units with their dimension and size. A pint is exactly two cups.
  private static let units = ["cup_us": ("volume", 1.0), "pt_us": ("volume", 2.0), "m": ("length", 1.0)]

  private func order(_ one: (value: Double, unit: String), _ other: (value: Double, unit: String))
    -> ComparisonResult?
  {
    guard let unit = Self.units[one.unit], let otherUnit = Self.units[other.unit], unit.0 == otherUnit.0
    else { return nil }
    let (size, otherSize) = (one.value * unit.1, other.value * otherUnit.1)
    return size < otherSize ? .orderedAscending : size > otherSize ? .orderedDescending : .orderedSame
  }

  private func archive(_ record: SampleRecord) -> [UInt8]? {
    guard case .archive(let bytes) = record.content else { return nil }
    return bytes
  }

  private func category(_ record: SampleRecord) -> Int? {
    guard case .category(let value) = record.content else { return nil }
    return value
  }

  private func members(_ record: SampleRecord) -> [SampleRecord] {
    guard case .correlation(let members) = record.content else { return [] }
    return members
  }

  private static let comparisons: [ValueComparison] = [
    .less, .lessOrEqual, .equal, .notEqual, .greaterOrEqual, .greater,
  ]

  private func randomFilter(
    _ depth: Int, _ stored: Stored, _ generator: inout SeededGenerator
  ) -> SampleFilter {
    let time = Int64.random(in: -5...105, using: &generator)
    let some = stored.records.shuffled(using: &generator).prefix(3)
    let comparison = Self.comparisons.randomElement(using: &generator) ?? .equal
    func types(_ generator: inout SeededGenerator) -> Set<String> {
      Set(["a", "b", "c", "never"].shuffled(using: &generator).prefix(2))
    }
    func parts(_ generator: inout SeededGenerator) -> [SampleFilter] {
      (0..<Int.random(in: 0...3, using: &generator)).map { _ in randomFilter(depth - 1, stored, &generator) }
    }
    switch Int.random(in: 0..<(depth > 0 ? 22 : 18), using: &generator) {
    case 0: return .everything
    case 1: return .nothing
    case 2: return .type(types(&generator).first ?? "a")
    case 3: return .uuids(Set(some.map(\.uuid)))
    case 4: return .startsBefore(time)
    case 5: return .startsFrom(time)
    case 6: return .endsBefore(time)
    case 7: return .endsFrom(time)
    case 8: return .sources(Set(some.map(\.provenance.revision.source.bundleIdentifier)))
    case 9: return .devices(Set(some.compactMap(\.provenance.device)))
    case 10: return .category(comparison, Int.random(in: 0...5, using: &generator))
    case 11:
      return .quantity(
        comparison, value: .random(in: 0...2, using: &generator).rounded(),
        unit: ["cup_us", "pt_us", "m", "never"].randomElement(using: &generator) ?? "")
    case 12: return .revisions(Set(some.map { pattern($0.provenance.revision, &generator) }))
    case 13:
      let field: DeviceRecord.Field = Bool.random(using: &generator) ? .name : .model
      return .deviceField(field, Set(some.prefix(1).compactMap { $0.provenance.device?[field] }))
    case 14: return .metadata(EncodedCondition(Data(count: Int.random(in: 0...2, using: &generator))))
    case 15:
      return .archived(
        types: types(&generator), EncodedCondition(Data(count: Int.random(in: 0...2, using: &generator))))
    case 16: return .members(of: stored.holder.values.randomElement(using: &generator)?.uuid ?? UUID())
    case 17: return .held(byTypes: types(&generator))
    case 18: return .all(parts(&generator))
    case 19: return .any(parts(&generator))
    case 20: return .holding(randomFilter(depth - 1, stored, &generator))
    default: return .not(randomFilter(depth - 1, stored, &generator))
    }
  }

  private func pattern(
    _ revision: SourceRevisionRecord, _ generator: inout SeededGenerator
  ) -> RevisionPattern {
    RevisionPattern(
      source: revision.source.bundleIdentifier,
      version: Bool.random(using: &generator) ? .anything : .exactly(revision.version),
      productType: Bool.random(using: &generator) ? .anything : .exactly(revision.productType),
      operatingSystem: Bool.random(using: &generator) ? .anything : .exactly(revision.operatingSystem))
  }

  private func randomProvenance(_ generator: inout SeededGenerator) -> Provenance {
    var device = DeviceRecord()
    device.name = Bool.random(using: &generator) ? "D" : nil
    device.model = Bool.random(using: &generator) ? "M" : nil
    var revision = SourceRevisionRecord(
      source: SourceRecord(bundleIdentifier: Bool.random(using: &generator) ? "p" : "q", name: "n"),
      version: Bool.random(using: &generator) ? "1" : nil, productType: nil, operatingSystem: "1.0.0")
    revision.productType = Bool.random(using: &generator) ? "X" : nil
    return Provenance(revision: revision, device: Bool.random(using: &generator) ? device : nil)
  }

  private func randomRecord(_ number: Int, _ generator: inout SeededGenerator) -> SampleRecord {
    var record = record(
      1, at: Int64.random(in: 0...100, using: &generator),
      lasting: Bool.random(using: &generator) ? 0 : Int64.random(in: 0...40, using: &generator),
      type: Bool.random(using: &generator) ? "a" : "b", from: randomProvenance(&generator))
    let unit = ["cup_us", "pt_us", "m"].randomElement(using: &generator) ?? ""
    record.content = .quantity(value: Double.random(in: 0...2, using: &generator).rounded(), unit: unit)
    if number % 3 == 0 { record.content = .category(number % 6) }
    if number % 5 == 0 { record.content = .archive(Array(repeating: 1, count: number % 3)) }
    if number % 4 == 0 {
      let values = (0..<(number % 3)).map { ("k\($0)", MetadataValue.boolean(true)) }
      record.metadata = EncodedMetadata(Dictionary(uniqueKeysWithValues: values))
    }
    return record
  }

  /// Saves random samples and returns them. Some samples are members of others.
  private func store(in database: SampleDatabase, _ generator: inout SeededGenerator) async throws -> Stored {
    let records = (0..<60).map { randomRecord($0, &generator) }
    var stored = Stored(records: records)
    let holders = [records[0...2], records[3...4]].enumerated().map { number, members in
      var holder = record(0, at: 0, type: number == 0 ? "b" : "c")
      holder.content = .correlation(Array(members))
      for member in members { stored.holder[member.uuid] = holder }
      return holder
    }
    stored.records += holders
    _ = try await database.save(holders + records[5...])
    return stored
  }

  @Test func `SQL finds the samples that match the filter`() async throws {
    var generator = SeededGenerator(seed: 5)
    let database = try SampleDatabase.inMemory()
    let stored = try await store(in: database, &generator)
    for _ in 0..<(isLongRun ? 2500 : 300) {
      let filter = randomFilter(3, stored, &generator)
      let found = try await database.samples(filter, order: []).map(\.uuid)
      let expected = stored.records.filter { matches(filter, $0, stored) }.map(\.uuid)
      #expect(Set(found) == Set(expected), "\(filter)")
      #expect(found.count == expected.count)
    }
  }

  @Test func `a long list is not a deep expression`() async throws {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save([record(1, at: 0), record(1, at: 5000)])
    let many = (0..<4000).map { SampleFilter.startsFrom($0) }
    #expect(try await database.samples(.all(many), order: []).map(\.start) == [5000])
    #expect(try await database.samples(.any(many), order: []).count == 2)
    let sources = Set((0..<40_000).map { "source \($0)" } + ["s"])
    #expect(try await database.samples(.sources(sources), order: []).count == 2)
  }

  @Test func `a window of a type is bounded on both sides in the index`() async throws {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save([record(1, at: 0)])
    let filter = SampleFilter.all([.type("t"), .all([.endsFrom(5), .startsBefore(9)])])
    let condition = filter.conditionRegardlessOfPermission
    let plan = try await database.writer.read { database in
      try Row.fetchAll(
        database,
        sql: "EXPLAIN QUERY PLAN SELECT * FROM sample WHERE \(condition.sql) ORDER BY start, id",
        arguments: condition.arguments
      ).map { $0["detail"] as String? ?? "" }
    }
    #expect(plan.contains { $0.contains("sample_type_start (type=? AND start>? AND start<?)") }, "\(plan)")
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test func ordersAreTotal() async throws {
    let database = try SampleDatabase.inMemory()
    // Pairs of equal times, so that the insertion order decides.
    let times: [(Int64, Int64)] = [(5, 0), (5, 0), (1, 9), (1, 9), (3, 1)]
    _ = try await database.save(times.enumerated().map { record(Double($0), at: $1.0, lasting: $1.1) })
    func values(_ order: SampleOrder, limit: Int? = nil) async throws -> [Double?] {
      try await database.samples(.everything, order: [order], limit: limit).map(\.value)
    }
    #expect(try await values(.start(ascending: true)) == [2, 3, 4, 0, 1])
    #expect(try await values(.start(ascending: false)) == [1, 0, 4, 3, 2])
    #expect(try await values(.end(ascending: true), limit: 3) == [4, 0, 1])
    #expect(try await values(.insertion(ascending: false), limit: 2) == [4, 3])
  }

  @Test func `an error thrown by the body ends the read`() async throws {
    struct EnoughError: Error {}
    let database = try SampleDatabase.inMemory()
    _ = try await database.save((0..<10).map { record(1, at: $0) })
    await #expect(throws: EnoughError.self) {
      try await database.reduce(into: 0, .everything, order: []) { count, _ in
        count += 1
        if count == 3 { throw EnoughError() }
      }
    }
  }
}
