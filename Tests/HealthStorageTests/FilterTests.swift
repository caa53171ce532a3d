import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestRecordings

@Suite struct FilterTests {
  /// What the SQL must answer.
  private func matches(_ filter: SampleFilter, _ record: SampleRecord) -> Bool {
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
    case .sources(let sources): sources.contains(record.provenance.revision.source.bundleIdentifier)
    case .devices(let devices): record.provenance.device.map(devices.contains) ?? false
    case .holding(let member): members(record).contains { matches(member, $0) }
    case .all(let parts): parts.allSatisfy { matches($0, record) }
    case .any(let parts): parts.contains { matches($0, record) }
    case .not(let part): !matches(part, record)
    }
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
    _ depth: Int, _ records: [SampleRecord], _ generator: inout SeededGenerator
  ) -> SampleFilter {
    let time = Int64.random(in: -5...105, using: &generator)
    let some = records.shuffled(using: &generator).prefix(3)
    func parts(_ generator: inout SeededGenerator) -> [SampleFilter] {
      (0..<Int.random(in: 0...3, using: &generator)).map { _ in randomFilter(depth - 1, records, &generator) }
    }
    switch Int.random(in: 0..<(depth > 0 ? 14 : 11), using: &generator) {
    case 0: return .everything
    case 1: return .nothing
    case 2: return .type(["a", "b", "never"].randomElement(using: &generator) ?? "a")
    case 3: return .uuids(Set(some.map(\.uuid)))
    case 4: return .startsBefore(time)
    case 5: return .startsFrom(time)
    case 6: return .endsBefore(time)
    case 7: return .endsFrom(time)
    case 8: return .sources(Set(some.map(\.provenance.revision.source.bundleIdentifier)))
    case 9: return .devices(Set(some.compactMap(\.provenance.device)))
    case 10:
      return .category(
        Self.comparisons.randomElement(using: &generator) ?? .equal, Int.random(in: 0...5, using: &generator))
    case 11: return .all(parts(&generator))
    case 12: return .any(parts(&generator))
    default: return .not(randomFilter(depth - 1, records, &generator))
    }
  }

  @Test func theSQLAnswersWhatTheFilterSays() async throws {
    var generator = SeededGenerator(seed: 5)
    let database = try SampleDatabase.inMemory()
    var device = DeviceRecord()
    device.name = "D"
    let provenances = [provenance(source: "p"), provenance(source: "q", device: device)]
    let records = (0..<60).map { number in
      var record = record(
        1, at: Int64.random(in: 0...100, using: &generator),
        lasting: Bool.random(using: &generator) ? 0 : Int64.random(in: 0...40, using: &generator),
        type: Bool.random(using: &generator) ? "a" : "b",
        from: provenances[Int.random(in: 0...1, using: &generator)])
      if number % 3 == 0 { record.content = .category(number % 6) }
      if number % 7 == 0 { record.content = .archive([1, 2, 3]) }
      return record
    }
    _ = try await database.save(records)
    for _ in 0..<1500 {
      let filter = randomFilter(3, records, &generator)
      let found = try await database.samples(filter, order: []).map(\.uuid)
      let expected = records.filter { matches(filter, $0) }.map(\.uuid)
      #expect(Set(found) == Set(expected), "\(filter)")
      #expect(found.count == expected.count)
    }
  }

  @Test func aTypesWindowIsSearchedInTheIndexFromBothSides() async throws {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save([record(1, at: 0)])
    let filter = SampleFilter.all([.type("t"), .all([.endsFrom(5), .startsBefore(9)])])
    let condition = filter.condition
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
    // Two of a kind each, so that insertion decides.
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

  @Test func anErrorOfTheBodyEndsTheRead() async throws {
    struct Enough: Error {}
    let database = try SampleDatabase.inMemory()
    _ = try await database.save((0..<10).map { record(1, at: $0) })
    await #expect(throws: Enough.self) {
      try await database.reduce(into: 0, .everything, order: []) { count, _ in
        count += 1
        if count == 3 { throw Enough() }
      }
    }
  }
}
