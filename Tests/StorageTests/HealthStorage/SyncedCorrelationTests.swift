import Foundation
import GRDB
import Testing

@testable import HealthStorage

@Suite struct SyncedCorrelationTests {
  private func synced(_ identifier: String, _ version: Int64) -> EncodedMetadata {
    EncodedMetadata([:], sync: EncodedMetadata.Sync(identifier: identifier, version: version))
  }

  private func correlation(
    _ members: [SampleRecord], _ metadata: EncodedMetadata? = nil
  ) -> SampleRecord {
    SampleRecord(
      uuid: UUID(), type: "c", start: 0, end: 9, provenance: provenance(), metadata: metadata,
      content: .correlation(members))
  }

  private func members(_ database: SampleDatabase) async throws -> [[Double?]] {
    try await database.samples(.type("c"), order: []).map { record in
      guard case .correlation(let members) = record.content else { return [] }
      return members.map(\.value)
    }
  }

  @Test func `an ignored correlation leaves no rows`() async throws {
    let database = try SampleDatabase.inMemory()
    for round in 0..<3 {
      let outcome = try await database.save([
        correlation([record(1, at: 1), record(2, at: 2)], synced("x", 1))
      ])
      #expect(outcome.stored == (round == 0 ? 3 : 0))
      #expect(outcome.ignored == (round == 0 ? 0 : 3))
    }
    #expect(try await database.samples(.type("t"), order: []).count == 2)
    #expect(try await members(database) == [[1, 2]])
    _ = try await database.save([correlation([record(3, at: 1)], synced("x", 2))])
    #expect(try await members(database) == [[3]])
  }

  @Test func `a replacement of a replacement in the same batch is used`() async throws {
    let database = try SampleDatabase.inMemory()
    _ = try await database.save([record(1, at: 1, metadata: synced("m", 1))])
    // The first member is ignored, because the stored sample has the same version. The other two members have
    // higher versions, and each replaces the one before it.
    let outcome = try await database.save([
      correlation([
        record(2, at: 1, metadata: synced("m", 1)), record(3, at: 1, metadata: synced("m", 2)),
        record(4, at: 1, metadata: synced("m", 3)),
      ])
    ])
    #expect(outcome.ignored == 1)
    #expect(outcome.replaced == 2)
    #expect(try await members(database) == [[4]])
  }

  @Test func `a stored UUID is a duplicate while associating samples`() async throws {
    let database = try SampleDatabase.inMemory()
    let known = record(1, at: 1)
    try await database.save([known])
    let container = correlation([known])
    await #expect(throws: StorageError.duplicates([known.uuid])) {
      try await database.save([container], associating: [], with: container.uuid, ofType: container.type)
    }
    await #expect(throws: StorageError.duplicates([known.uuid])) {
      try await database.saveMissing([container])
    }
  }
}
