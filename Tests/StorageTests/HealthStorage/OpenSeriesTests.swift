import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests heartbeat series in progress: queries return them, but the change log contains only finished ones.
@Suite struct OpenSeriesTests {
  private static let type = "beats"
  private let uuid = UUID()

  /// - Parameter intervals: RR intervals in ticks of 1/1024 s.
  private func open(
    _ intervals: [UInt16], version: Int64, uuid: UUID? = nil, from source: String = "s",
    identifier: String = "i"
  ) -> OpenSeriesRecord {
    OpenSeriesRecord(
      uuid: uuid ?? self.uuid, type: Self.type, start: 1_000_000,
      end: 1_000_000 + Int64(intervals.count) * 900_000,
      provenance: provenance(source: source), metadata: EncodedMetadata(["place": .integer(2)]),
      sync: EncodedMetadata.Sync(identifier: identifier, version: version), count: intervals.count + 1,
      beats: HeartbeatCodec.encode(intervals: intervals))
  }

  private func finished(_ intervals: [UInt16], version: Int64, uuid: UUID? = nil) -> SampleRecord {
    let open = open(intervals, version: version, uuid: uuid)
    return SampleRecord(
      uuid: open.uuid, type: open.type, start: open.start, end: open.end, provenance: open.provenance,
      metadata: EncodedMetadata(Self.metadata(open.sync), sync: open.sync),
      content: .heartbeatSeries(count: open.count, beats: open.beats))
  }

  private static func metadata(_ sync: EncodedMetadata.Sync) -> [String: MetadataValue] {
    ["place": .integer(2), "identifier": .string(sync.identifier), "version": .integer(sync.version)]
  }

  private func save(
    _ open: [OpenSeriesRecord], _ records: [SampleRecord] = [], in store: SampleDatabase
  ) async throws -> SaveOutcome {
    try await store.save(records, measured: [], openSeries: open, as: .rows).samples
  }

  private func intervals(_ uuid: UUID, in store: SampleDatabase) async throws -> [Int]? {
    try await store.heartbeats(of: uuid).map { beats in
      zip(beats, beats.dropFirst()).map { Int(($1.offset - $0.offset) * 1024) }
    }
  }

  private func changes(
    _ store: SampleDatabase, after position: Int64 = 0
  ) async throws -> SampleChanges {
    try await store.changes([(Self.type, .everything)], after: position, of: nil, limit: nil)
  }

  @Test func `queries return a growing series, and the change log has the finished one once`() async throws {
    let store = try SampleDatabase.inMemory()
    for count in 1...4 {
      _ = try await save(
        [open(Array(repeating: 900, count: count), version: Int64(count))], in: store)
      let found = try await store.samples(.type(Self.type), order: [.start(ascending: true)])
      #expect(found.map(\.uuid) == [uuid])
      #expect(found.first?.content == .heartbeatSeries(count: count + 1, beats: nil))
      #expect(found.first?.end == 1_000_000 + Int64(count) * 900_000)
      #expect(try await intervals(uuid, in: store) == Array(repeating: 900, count: count))
      #expect(try await changes(store).added.isEmpty)
      #expect(try await store.inventory().map(\.count) == [1])
    }
    _ = try await save([], [finished([900, 901, 902, 903, 904], version: 5)], in: store)
    let found = try await store.samples(.type(Self.type), order: [])
    #expect(found.map(\.uuid) == [uuid] && found.first?.content == .heartbeatSeries(count: 6, beats: nil))
    #expect(try await intervals(uuid, in: store) == [900, 901, 902, 903, 904])
    let changed = try await changes(store)
    #expect(changed.added.map(\.uuid) == [uuid] && changed.deleted.isEmpty)
    #expect(try await store.inventory().map(\.count) == [1])
  }

  @Test func `filters, sources and permissions apply to it like to any sample`() async throws {
    let store = try SampleDatabase.inMemory()
    _ = try await save([open([900, 900], version: 1)], in: store)
    func count(_ filter: SampleFilter) async throws -> Int {
      try await store.uuids(filter, order: [.end(ascending: false)]).count
    }
    let end: Int64 = 2_800_000
    #expect(try await count(.uuids([uuid])) == 1)
    #expect(try await count(.all([.type(Self.type), .endsFrom(end)])) == 1)
    #expect(try await count(.all([.type(Self.type), .endsFrom(end + 1)])) == 0)
    #expect(try await count(.endsBefore(end + 1)) == 1)
    #expect(try await count(.startsFrom(1_000_001)) == 0)
    #expect(try await count(.sources(["s"])) == 1)
    #expect(try await count(.sources(["t"])) == 0)
    #expect(try await count(.metadata(EncodedCondition(Data(count: 1)))) == 1)
    #expect(try await store.sources(.type(Self.type)).map(\.bundleIdentifier) == ["s"])
    try await store.decide([Self.type: Permission(read: false)], for: "app", named: "app", at: 0)
    let other = store.admitted(.reading([.type(Self.type)], by: "app"))
    #expect(try await other.samples(.type(Self.type), order: []).isEmpty)
    #expect(try await other.heartbeats(of: uuid) == nil)
  }

  @Test func `a series left by a killed gateway is finished with its metadata`() async throws {
    let store = try SampleDatabase.inMemory()
    _ = try await save(
      [open([900], version: 1), open([700, 701], version: 2, uuid: UUID(), identifier: "j")], in: store)
    #expect(try await store.finishOpenSeries(metadata: Self.syncMetadata) == 2)
    #expect(try await store.finishOpenSeries(metadata: Self.syncMetadata) == 0)
    #expect(try await changes(store).added.count == 2)
    let found = try await store.samples(.uuids([uuid]), order: [])
    #expect(found.first?.metadata?.values == Self.metadata(EncodedMetadata.Sync(identifier: "i", version: 1)))
    // A replayed recording that ends at the same frame gives the same series. A longer one replaces the
    // series.
    #expect(try await save([], [finished([900], version: 1, uuid: UUID())], in: store).ignored == 1)
    #expect(try await save([], [finished([900, 901], version: 2, uuid: UUID())], in: store).replaced == 1)
  }

  private static func syncMetadata(_ sync: EncodedMetadata.Sync) -> [String: MetadataValue] {
    metadata(sync).filter { $0.key != "place" }
  }

  @Test func `a replayed recording and a series in progress are merged, and the newer version wins`()
    async throws
  {
    for recorded in [[900], [900, 901, 902]] as [[UInt16]] {
      let store = try SampleDatabase.inMemory()
      _ = try await save([open([900, 901], version: 2)], in: store)
      let replay = finished(recorded, version: Int64(recorded.count), uuid: UUID())
      #expect(try await store.settled([replay]).isEmpty == (recorded.count > 2))
      let outcome = try await save([], [replay], in: store)
      #expect(outcome.stored == (recorded.count > 2 ? 1 : 0))
      #expect(try await store.samples(.type(Self.type), order: []).count == 1)
      // The gateway saves its series again, first with as many beats as the recording, and then with more.
      for count in 3...4 {
        _ = try await save(
          [open(Array([900, 901, 902, 903].prefix(count)), version: Int64(count))], in: store)
        #expect(try await store.samples(.type(Self.type), order: []).count == 1)
      }
      _ = try await save([], [finished([900, 901, 902, 903, 904], version: 5)], in: store)
      let found = try await store.samples(.type(Self.type), order: [])
      #expect(found.map(\.uuid) == [uuid])
      #expect(try await intervals(uuid, in: store) == [900, 901, 902, 903, 904])
    }
  }

  @Test func `a series deleted while it is measured stays deleted, and the gateway is notified`() async throws
  {
    for way in 0..<3 {
      let store = try SampleDatabase.inMemory()
      _ = try await save([open([900], version: 1)], in: store)
      switch way {
      case 0: try await store.delete([uuid], savedBy: "s")
      case 1: #expect(try await store.delete(.type(Self.type), savedBy: "s") == 1)
      default:
        #expect(try await store.counts(.everything) == [Self.type: 1])
        let deleted = try await store.deleteMatching(.everything, inTransactionsOf: 10) { _ in true }
        #expect(deleted == 1)
      }
      #expect(try await store.samples(.everything, order: []).isEmpty)
      #expect(try await store.heartbeats(of: uuid) == nil)
      #expect(try await save([open([900, 901], version: 2)], in: store).deletedSeries == [uuid])
      #expect(try await store.samples(.everything, order: []).isEmpty)
      // A deleted series that ends with its next version is not stored either.
      let other = UUID()
      _ = try await save([open([900], version: 1, uuid: other, identifier: "j")], in: store)
      try await store.delete([other], savedBy: "s")
      var end = finished([900, 901], version: 2, uuid: other)
      let sync = EncodedMetadata.Sync(identifier: "j", version: 2)
      end.metadata = EncodedMetadata(Self.metadata(sync), sync: sync)
      #expect(try await save([], [end], in: store).stored == 0)
      #expect(try await store.samples(.everything, order: []).isEmpty)
      #expect(try await store.finishOpenSeries(metadata: Self.syncMetadata) == 0)
    }
    let store = try SampleDatabase.inMemory()
    _ = try await save([open([900], version: 1)], in: store)
    await #expect(throws: StorageError.self) { try await store.delete([uuid], savedBy: "another") }
    #expect(try await store.samples(.everything, order: []).count == 1)
  }

  @Test func `a store with a series in progress can be checked, copied and repaired`() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SampleDatabase.open(at: directory + "/s")
      try await store.save([record(1, at: 1)])
      _ = try await save(
        [open([900], version: 1), open([700], version: 2, uuid: UUID(), identifier: "j")], in: store)
      try store.close()
      #expect(try StoreUpkeep.check(at: directory + "/s").findings == [])
      _ = try StoreUpkeep.recover(directory + "/s", to: directory + "/new", .ofTests)
      let new = try SampleDatabase.open(at: directory + "/new")
      #expect(try await new.samples(.type(Self.type), order: []).count == 2)
      try await new.writer.write {
        try $0.execute(sql: "UPDATE open_series SET beats = x'01ff' WHERE sync_identifier = 'j'")
      }
      #expect(try await new.finishOpenSeries(metadata: Self.syncMetadata) == 1)
      try new.close()
      #expect(try StoreUpkeep.check(at: directory + "/new").findings.map(\.kind) == [.content])
      let recovered = try StoreUpkeep.recover(directory + "/new", to: directory + "/newer", .ofTests)
      #expect(recovered.dropped["open_series"] == 1)
      #expect(try StoreUpkeep.check(at: directory + "/newer").findings == [])
    }
  }
}
