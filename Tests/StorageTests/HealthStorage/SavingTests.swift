import Foundation
import GRDB
import Synchronization
import Testing

@testable import HealthStorage

@Suite struct SavingTests {
  @Test func aBatchOfSeveralMonitorsIsStoredInOrderOfTime() async throws {
    let database = try SampleDatabase.inMemory()
    let batch = [5, 1, 3, 1].enumerated().map { record(Double($0), at: $1) }
    _ = try await database.save(batch, inOrderOfTime: true)
    #expect(
      try await database.samples(.everything, order: [.insertion(ascending: true)]).map(\.value) == [
        1, 3, 2, 0,
      ])
  }

  private func count(_ table: String, in database: SampleDatabase) async throws -> Int? {
    try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
  }

  @Test func aBatchInternsWhatItShares() async throws {
    let database = try SampleDatabase.inMemory()
    var device = DeviceRecord()
    device.name = "D"
    for round in 0..<2 {
      // Create equal but distinct objects each time, because interning must compare values.
      let from = provenance(device: device)
      let metadata = EncodedMetadata(["k": .integer(1)])
      let batch = (0..<100).map { record(1, at: Int64(round * 100 + $0), from: from, metadata: metadata) }
      _ = try await database.save(batch)
    }
    for table in ["object_type", "unit", "source", "source_revision", "device", "provenance", "metadata"] {
      #expect(try await count(table, in: database) == 1, "\(table)")
    }
    #expect(try await count("sample", in: database) == 200)
  }

  @Test func devicesDifferInAbsentAndEmptyFields() async throws {
    let database = try SampleDatabase.inMemory()
    let none = DeviceRecord()
    var empty = none
    empty.name = ""
    var other = none
    other.model = ""
    for (index, device) in [none, empty, other, none].enumerated() {
      _ = try await database.save([record(1, at: Int64(index), from: provenance(device: device))])
    }
    #expect(try await count("device", in: database) == 3)
    let found = try await database.samples(.devices([empty]), order: [])
    #expect(found.map(\.provenance.device) == [empty])
  }

  @Test func `a rejected duplicate leaves no rows`() async throws {
    let database = try SampleDatabase.inMemory()
    let known = record(1, at: 1)
    _ = try await database.save([known])
    await #expect(throws: StorageError.duplicates([known.uuid])) {
      try await database.save([record(2, at: 2, type: "new", from: provenance(source: "new")), known])
    }
    #expect(try await count("sample", in: database) == 1)
    #expect(try await count("source", in: database) == 1)
    #expect(try await count("object_type", in: database) == 1)
    #expect(try await database.stored(among: [known.uuid, UUID()]) == [known.uuid])
  }

  @Test func `a failed commit removes its rows from the cache`() async throws {
    let database = try SampleDatabase.inMemory()
    let metadata = EncodedMetadata(["k": .integer(1)])
    let refusal = CommitRefusal()
    database.writer.add(transactionObserver: refusal, extent: .observerLifetime)
    await #expect(throws: (any Error).self) {
      try await database.save([record(1, at: 1, type: "new", metadata: metadata)])
    }
    #expect(try await count("object_type", in: database) == 0)

    // The failed commit has not left cached IDs: type, unit, source and metadata are inserted again.
    try await database.save([record(1, at: 1, type: "new", metadata: metadata)])
    let names = try await database.writer.read {
      try String.fetchAll(
        $0, sql: "SELECT identifier FROM sample JOIN object_type ON object_type.id = sample.type")
    }
    #expect(names == ["new"])
  }

  @Test func `a replaced object leaves a deletion in the change log`() async throws {
    let database = try SampleDatabase.inMemory()
    func synced(_ version: Int64) -> SampleRecord {
      record(
        Double(version), at: version,
        metadata: EncodedMetadata([:], sync: EncodedMetadata.Sync(identifier: "x", version: version)))
    }
    let first = synced(1)
    _ = try await database.save([first, record(9, at: 9)])
    let outcome = try await database.save([synced(2)])
    #expect(outcome.replaced == 1)
    let tombstone = try database.writer.read {
      try Row.fetchOne($0, sql: "SELECT id, uuid, sync_identifier, sync_version FROM deleted_object")
    }
    let samples = try await database.writer.read {
      try Int64.fetchAll($0, sql: "SELECT id FROM sample ORDER BY id")
    }
    #expect(tombstone?["uuid"] == first.uuid)
    #expect(tombstone?["sync_identifier"] == "x")
    #expect(tombstone?["sync_version"] == 1)
    #expect(tombstone?["id"] == 3)
    #expect(samples == [2, 4])
  }

  @Test func `a replaced series is deleted with its sample`() async throws {
    let database = try SampleDatabase.inMemory()
    for version in [1, 2] as [Int64] {
      let metadata = EncodedMetadata([:], sync: EncodedMetadata.Sync(identifier: "x", version: version))
      let beats = HeartbeatCodec.encode([Heartbeat(offset: Double(version), precededByGap: false)])
      let sample = SampleRecord(
        uuid: UUID(), type: "series", start: 0, end: 1, provenance: provenance(), metadata: metadata,
        content: .heartbeatSeries(count: 1, beats: beats))
      _ = try await database.save([sample])
      #expect(try await database.heartbeats(of: sample.uuid)?.map(\.offset) == [Double(version)])
    }
    #expect(try await count("heartbeat_series", in: database) == 1)
  }

  @Test func `the metadata cache is bounded`() async throws {
    let database = try SampleDatabase.inMemory()
    let batch = (0..<5000).map {
      record(1, at: Int64($0), metadata: EncodedMetadata(["k": .integer(Int64($0))]))
    }
    _ = try await database.save(batch)
    #expect(database.interned.rows.withLock { $0.metadata.count } <= InternedRows.metadataCapacity)
    #expect(try await count("metadata", in: database) == 5000)
  }
}

/// Makes the first commit fail, as on a disk that has become full.
private final class CommitRefusal: TransactionObserver {
  private struct RefusedError: Error {}
  private let hasRefused = Mutex(false)

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ database: Database) {}
  func databaseDidRollback(_ database: Database) {}

  func databaseWillCommit() throws {
    let refuses = hasRefused.withLock { hasRefused in
      defer { hasRefused = true }
      return !hasRefused
    }
    if refuses { throw RefusedError() }
  }
}
