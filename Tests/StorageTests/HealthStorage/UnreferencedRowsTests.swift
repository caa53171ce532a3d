import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests which unreferenced rows `vacuum` deletes.
@Suite struct UnreferencedRowsTests {
  private func origin(_ device: String, source: String = "s") -> Provenance {
    var record = DeviceRecord()
    record.name = device
    return provenance(source: source, device: record)
  }

  private func metadata(_ text: String) -> EncodedMetadata { EncodedMetadata(["note": .string(text)]) }

  private func counts(_ store: SampleDatabase) async throws -> [Int] {
    try await store.writer.read { database in
      try ["metadata", "device", "provenance", "source_revision", "source"].map {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? 0
      }
    }
  }

  @Test func `rows referred to only by deleted samples are removed, and all others are kept`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let store = try SampleDatabase.open(at: path)
      var generator = SeededGenerator(seed: 7)
      let packed = secondsOfHour(100, &generator).map { sample in
        var sample = sample
        sample.provenance = origin("packed strap")
        sample.metadata = metadata("of a block")
        return sample
      }
      try await store.save(packed)
      try await store.packAll()
      #expect(try await store.blockCount() == 1)
      let kept = record(1, at: 1, from: origin("kept strap"), metadata: metadata("of one that stays"))
      let gone = (0..<50).map {
        record(
          1, at: Int64($0), type: "secret", from: origin("secret strap", source: "org.example.secret"),
          metadata: metadata("a secret \($0)"))
      }
      try await store.save([kept] + gone)
      let before = try await store.reduce(
        into: [UUID: SampleRecord](), .everything, order: [], limit: nil, heartbeats: .beats
      ) { $0[$1.uuid] = $1 }
      let deleted = try await store.deleteMatching(.type("secret"), inTransactionsOf: 20) { _ in true }
      #expect(deleted == 50)
      // `vacuum` runs while another program has the store open, whose cached rows must not be used
      // afterwards.
      _ = try StoreUpkeep.vacuum(path)
      #expect(try await counts(store) == [2, 2, 2, 1, 2])
      #expect(try StoreUpkeep.check(at: path).findings == [])
      let bytes = try Data(contentsOf: URL(filePath: path))
      for text in ["a secret", "secret strap"] { #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text)") }
      // The source that deleted samples is kept, because the deletions refer to it.
      #expect(bytes.range(of: Data("org.example.secret".utf8)) != nil)
      let after = try await store.reduce(
        into: [UUID: SampleRecord](), .everything, order: [], limit: nil, heartbeats: .beats
      ) { $0[$1.uuid] = $1 }
      #expect(after.count == 101 && after.allSatisfy { before[$0.key] == $0.value })
      try await store.save(gone)
      #expect(try await store.counts(.type("secret")) == ["secret": 50])
      #expect(try StoreUpkeep.check(at: path).findings == [])
    }
  }

  @Test func `an unreferenced source is removed, unless its program has requested permissions`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let store = try SampleDatabase.open(at: path)
      try await store.save([record(1, at: 1)])
      try await store.writer.write { database in
        try database.execute(
          sql: """
            INSERT INTO source (bundle_identifier, name) VALUES
              ('gone', 'Gone'), ('ordered', 'O'), ('asked', 'A');
            INSERT INTO source_order SELECT 't', 1, id FROM source WHERE name = 'O';
            INSERT INTO application (identifier, name) VALUES ('asked', 'A')
            """)
      }
      _ = try StoreUpkeep.vacuum(path)
      let names = try await store.writer.read {
        try String.fetchAll($0, sql: "SELECT bundle_identifier FROM source ORDER BY id")
      }
      #expect(names == ["s", "ordered", "asked"])
      // In a store of a newer version nothing is deleted, because it may refer to rows in unknown ways.
      try await store.writer.write { database in
        try database.execute(
          sql: """
            INSERT INTO source (bundle_identifier, name) VALUES ('gone', 'Gone');
            INSERT INTO grdb_migrations VALUES ('9999')
            """)
      }
      _ = try StoreUpkeep.vacuum(path)
      let count = try await counts(store).last
      #expect(count == 4)
    }
  }
}
