import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that the stored number of samples of each type equals the actual number.
@Suite struct SampleCountTests {
  private func kept(_ store: SampleDatabase) async throws -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: try await store.inventory().map { ("\($0.source.name) \($0.type)", $0.count) })
  }

  private func counted(_ store: SampleDatabase) async throws -> [String: Int] {
    try await store.writer.read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT source.name || ' ' || object_type.identifier, count(*) FROM sample
          JOIN provenance ON provenance.id = sample.provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          JOIN source ON source.id = source_revision.source JOIN object_type ON object_type.id = sample.type
          GROUP BY 1
          """)
      return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
    }
  }

  @Test(arguments: 0..<(isLongRun ? 200 : 10) as Range<UInt64>)
  func `the stored counts are right after any saves, replacements and deletions`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let store = try SampleDatabase.inMemory()
    var saved: [(uuid: UUID, source: String)] = []
    for round in 0..<12 {
      var batch: [SampleRecord] = []
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        let source = ["a", "b"].randomElement(using: &generator) ?? ""
        // Of samples with one sync identifier, the one with the highest version is kept, also within a batch.
        let sync =
          Bool.random(using: &generator)
          ? EncodedMetadata(
            [:],
            sync: EncodedMetadata.Sync(
              identifier: "\(Int.random(in: 0..<5, using: &generator))",
              version: Int64.random(in: 0..<20, using: &generator))) : nil
        let new = record(
          1, at: Int64(round * 1000 + batch.count), type: ["t", "u"].randomElement(using: &generator) ?? "",
          from: provenance(source: source), metadata: sync)
        batch.append(new)
        saved.append((new.uuid, source))
      }
      try await store.save(batch)
      if let gone = saved.randomElement(using: &generator), Bool.random(using: &generator) {
        try? await store.delete([gone.uuid], savedBy: gone.source)
      }
      #expect(try await kept(store) == counted(store), "round \(round)")
    }
    #expect(try await store.delete(.type("t"), savedBy: "a") >= 0)
    #expect(try await kept(store) == counted(store))
  }

  @Test func `samples of an older store are counted when it is opened`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SampleDatabase.open(at: directory + "/s")
      try await store.save((0..<7).map { record(1, at: $0) })
      try await store.writer.write { database in
        try database.execute(
          sql: """
            DROP TRIGGER sample_count_of_deleted;
            DROP TABLE sample_count;
            DROP TABLE block;
            DELETE FROM grdb_migrations WHERE identifier IN ('12', '13');
            """)
      }
      try store.close()
      let opened = try SampleDatabase.open(at: directory + "/s")
      #expect(try await kept(opened) == ["s t": 7])
    }
  }

  @Test func `a wrong stored count is found`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SampleDatabase.open(at: directory + "/s")
      try await store.save((0..<7).map { record(1, at: $0) })
      try await store.writer.write { try $0.execute(sql: "UPDATE sample_count SET count = 8") }
      try store.close()
      #expect(try StoreUpkeep.check(at: directory + "/s").findings.map(\.kind) == [.summary])
    }
  }
}
