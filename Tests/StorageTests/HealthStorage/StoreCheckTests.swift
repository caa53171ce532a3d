import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests checks, backups and restores of stores.
@Suite struct StoreCheckTests {
  private func withStore(
    _ count: Int = 300, _ body: (_ store: SampleDatabase, _ path: String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      let store = try SampleDatabase.open(at: path)
      try await store.save(mixedRecords(count))
      try await body(store, path)
    }
  }

  @Test func `a sound store has no findings, open or closed`() async throws {
    try await withStore { store, path in
      try await store.keep([hour(of: 60)], ofType: "t", readAt: .max / 2)
      try await store.delete([mixedRecords(300)[7].uuid], savedBy: "s")
      let (findings, size, tables) = try StoreUpkeep.check(at: path)
      #expect(findings == [] && tables == [])
      #expect(size?.samples == 299 && size?.deletions == 1)
      try store.close()
      #expect(try StoreUpkeep.check(at: path).findings == [])
    }
  }

  @Test(arguments: [
    ("UPDATE object_type SET longest = 0", StoreFinding.Kind.content),
    ("UPDATE heartbeat_series SET beats = x'00'", .content),
    ("UPDATE heartbeat_series SET count = count + 1", .content),
    ("UPDATE metadata SET encoded = x'0101' WHERE id = 1", .content),
    ("UPDATE sqlite_sequence SET seq = 3 WHERE name = 'sample'", .changeLog),
    (
      "INSERT INTO deleted_object (id, uuid, type, source) SELECT id, uuid, type, 1 FROM sample WHERE id = 5",
      .changeLog
    ),
    ("DELETE FROM store_identity", .changeLog),
    ("DELETE FROM unit", .reference),
    ("UPDATE sample SET value = 1000 WHERE id = 3", .summary),
    ("DELETE FROM sample WHERE id = 3", .summary),
    ("UPDATE heartbeat_series SET sample = 3 WHERE sample = 10", .content),
    ("DELETE FROM heartbeat_series WHERE sample = 10", .content),
    ("UPDATE sample SET value = 1 WHERE id = 10", .content),
    ("PRAGMA ignore_check_constraints = ON; UPDATE sample SET end = 0 WHERE id = 10", .content),
    ("UPDATE sample SET value = NULL WHERE id = 3", .content),
    ("UPDATE sample SET value = NULL, unit = NULL WHERE id = 3", .content),
    ("UPDATE sample SET value = 0.5, unit = NULL WHERE id = 3", .content),
    ("INSERT INTO location_series SELECT sample, count, beats FROM heartbeat_series LIMIT 1", .content),
    ("INSERT INTO archived_sample VALUES (3, x'01')", .content),
    ("INSERT INTO archived_sample VALUES (10, x'01')", .content),
    ("INSERT INTO voltage_series VALUES (10, x'01')", .content),
    ("DELETE FROM archived_sample", .content),
    ("UPDATE quantity_series SET minimum = minimum - 1", .content),
    ("UPDATE quantity_series SET maximum = maximum + 1", .content),
    ("UPDATE quantity_series SET latest = latest + 1", .content),
    ("UPDATE quantity_series SET latest_end = latest_end - 1", .content),
    ("UPDATE quantity_series SET sample = 4", .content),
    ("UPDATE voltage_series SET voltages = x'01'", .content),
    ("UPDATE synced_object SET source = 2", .content),
    ("UPDATE attachment SET size = size + 1", .content),
    ("UPDATE attachment SET sample = NULL", .content),
    ("DELETE FROM attachment_piece WHERE place = 0", .content),
    ("UPDATE attachment_piece SET place = 7 WHERE place = 1", .content),
  ])
  func `contradictions are found, and the recovered store has none`(
    sql: String, kind: StoreFinding.Kind
  ) async throws {
    try await withStore { store, path in
      try await saveOneOfEach(in: store)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      try await store.keep([hour(of: 60)], ofType: "t", readAt: .max / 2)
      try await store.writer.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA foreign_keys = OFF")
        try database.execute(sql: sql)
      }
      #expect(try StoreUpkeep.check(at: path).findings.map(\.kind).contains(kind))
      try store.close()
      _ = try StoreUpkeep.recover(path, to: path + ".saved", .ofTests)
      #expect(try StoreUpkeep.check(at: path + ".saved").findings == [])
    }
  }

  /// A correlation whose members were deleted is read as a correlation without members.
  @Test func `a correlation without members is valid and is recovered`() async throws {
    try await withStore { store, path in
      let members = [record(1, at: 5, type: "systolic"), record(2, at: 5, type: "diastolic")]
      let pressure = SampleRecord(
        uuid: UUID(), type: "pressure", start: 5, end: 5, provenance: provenance(), metadata: nil,
        content: .correlation(members))
      try await store.save([pressure])
      try await store.delete(members.map(\.uuid), savedBy: "s")
      try store.close()
      #expect(try StoreUpkeep.check(at: path).findings == [])
      let before = try StoreUpkeep.check(at: path).size?.samples
      let recovered = try StoreUpkeep.recover(path, to: path + ".saved", .ofTests)
      #expect(recovered.dropped.values.allSatisfy { $0 == 0 })
      #expect(try StoreUpkeep.check(at: path + ".saved").size?.samples == before)
    }
  }

  /// A series in one hour does not prevent the check of the summaries of other hours.
  @Test func `summaries are checked in a store with series, too`() async throws {
    try await withStore { store, path in
      let start = HourSummary.length * 100
      let quantity = SeriesQuantity(start: start, end: start, value: 1)
      let series = QuantitySeries(
        unit: "u", value: 0, count: 1, minimum: 1, maximum: 1, latest: quantity,
        quantities: QuantitySeriesCodec.encode([quantity], from: start))
      try await store.save([
        SampleRecord(
          uuid: UUID(), type: "t", start: start, end: start, provenance: provenance(), metadata: nil,
          content: .quantitySeries(series))
      ])
      try await store.keep([hour(of: 60)], ofType: "t", readAt: .max / 2)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      try await store.writer.write { try $0.execute(sql: "UPDATE sample SET value = 1000 WHERE id = 3") }
      #expect(try StoreUpkeep.check(at: path).findings.map(\.kind) == [.summary])
    }
  }

  @Test func `an older store is checked as far as its tables go`() async throws {
    try await withStore { store, path in
      try await store.writer.write { try $0.execute(sql: "DROP TABLE series_place") }
      #expect(try StoreUpkeep.check(at: path).findings == [])
    }
  }

  /// Both unreadable tables and the findings in other tables are reported.
  @Test func `a table that cannot be read does not prevent the other checks`() async throws {
    try await withStore { store, path in
      try await store.writer.write { database in
        try database.execute(
          sql: """
            UPDATE metadata SET encoded = x'0101' WHERE id = 1;
            ALTER TABLE synced_object RENAME COLUMN type TO kind
            """)
      }
      let texts = try StoreUpkeep.check(at: path).findings.map(\.text)
      #expect(texts.contains("a row of metadata cannot be decoded"))
      #expect(
        texts.contains {
          $0.hasPrefix("synced_object and sample") && $0.contains(" cannot be read completely")
        })
    }
  }

  @Test func `a file that is not a store is an error, not a finding`() async throws {
    try await withTemporaryDirectory { directory in
      try Data("no database, however long it may be".utf8).write(to: URL(filePath: directory + "/f"))
      #expect(throws: StorageError.self) { try StoreUpkeep.check(at: directory + "/f") }
      #expect(throws: StorageError.file(operation: "open", path: directory + "/g", errno: ENOENT)) {
        try StoreUpkeep.check(at: directory + "/g")
      }
    }
  }

  // MARK: - Copies

  @Test func `a backup during writes contains complete transactions`() async throws {
    try await withStore { store, path in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for batch in 0..<40 {
            try await store.save((0..<25).map { record(1, at: Int64(batch * 1000 + $0), type: "batch") })
          }
        }
        for number in 0..<5 {
          let copy = path + ".\(number)"
          try StoreUpkeep.backUp(path, to: copy)
          var status = stat()
          #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
          let report = try StoreUpkeep.check(at: copy)
          let samples = try #require(report.size).samples
          #expect(report.findings == [] && (samples - 300).isMultiple(of: 25))
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `a restored backup is the store, and the old store is kept`() async throws {
    try await withStore { store, path in
      try StoreUpkeep.backUp(path, to: path + ".backup")
      try await store.save([record(1, at: 1, type: "late")])
      try store.close()
      let kept = try #require(try StoreUpkeep.restore(path, from: path + ".backup"))
      #expect(try StoreUpkeep.check(at: kept).size?.samples == 301)
      #expect(try StoreUpkeep.check(at: path).size?.samples == 300)
      let restored = try SampleDatabase.open(at: path)
      try await restored.save([record(1, at: 1, type: "later")])
      try restored.close()
      let again = try #require(try StoreUpkeep.restore(path, from: path + ".backup"))
      #expect(again != kept)
    }
  }

  @Test func `a damaged file is neither backed up nor restored`() async throws {
    try await withStore(3000) { store, path in
      try store.close()
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes.replaceSubrange(
        SampleDatabase.pageSize * 30..<SampleDatabase.pageSize * 40,
        with: Data(repeating: 0xA5, count: SampleDatabase.pageSize * 10))
      try bytes.write(to: URL(filePath: path + ".damaged"))
      for attempt in [
        { try StoreUpkeep.backUp(path + ".damaged", to: path + ".copy") },
        { _ = try StoreUpkeep.restore(path, from: path + ".damaged") },
      ] {
        #expect {
          try attempt()
        } throws: { error in
          guard case StorageError.damaged = error else { return false }
          return true
        }
      }
      #expect(!FileManager.default.fileExists(atPath: path + ".copy"))
      #expect(try StoreUpkeep.check(at: path).findings == [])
      let left = try FileManager.default.contentsOfDirectory(
        atPath: (path as NSString).deletingLastPathComponent)
      #expect(!left.contains { $0.hasSuffix(".part") })
    }
  }

  @Test func `a store is not its own backup under any name`() async throws {
    try await withStore { _, path in
      try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: path)
      for name in [path, path + ".link"] {
        #expect(throws: StorageError.isTheStore(path: name)) { try StoreUpkeep.backUp(path, to: name) }
      }
    }
  }

  private func pageSize(_ path: String) throws -> Int? { StoreHeader(of: path)?.pageSize }

  @Test func `vacuum changes the page size of an older store, unless a program has it open`()
    async throws
  {
    try await withStore(300) { store, path in
      try store.close()
      #expect(try pageSize(path) == SampleDatabase.pageSize)
      try StoreLock.execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM", in: path)
      let open = try SampleDatabase.open(at: path)
      _ = try StoreUpkeep.vacuum(path)
      #expect(try pageSize(path) == 4096)
      try await open.save([record(1, at: 1, type: "late")])
      try open.close()
      _ = try StoreUpkeep.vacuum(path)
      #expect(try pageSize(path) == SampleDatabase.pageSize)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      #expect(try StoreUpkeep.check(at: path).size?.samples == 301)
    }
  }

  @Test func `vacuum frees space, and fails while a gateway runs`() async throws {
    try await withStore(5000) { store, path in
      try await store.delete(mixedRecords(5000).dropFirst(50).map(\.uuid), savedBy: "s")
      try store.close()
      let (before, after) = try StoreUpkeep.vacuum(path)
      // The deletions stay in the change log, so a part of the file is still used.
      #expect(after < before * 4 / 5)
      #expect(try StoreUpkeep.check(at: path).findings == [])
      let gateway = ProgramLock(ofGatewayOfDatabaseAt: path)
      try gateway.take { .gatewayRuns(process: $0) }
      #expect(throws: StorageError.gatewayRuns(process: getpid())) { try StoreUpkeep.vacuum(path) }
    }
  }
}

/// Saves one sample of each kind that `mixedRecords` does not contain, and an attached file that is stored in
/// two pieces.
private func saveOneOfEach(in store: SampleDatabase) async throws {
  func sample(
    _ type: String, _ content: SampleRecord.Content, _ metadata: EncodedMetadata? = nil
  ) -> SampleRecord {
    SampleRecord(
      uuid: UUID(), type: type, start: 7, end: 9, provenance: provenance(), metadata: metadata,
      content: content)
  }
  let quantities = [
    SeriesQuantity(start: 7, end: 9, value: 3), SeriesQuantity(start: 8, end: 8, value: 5),
  ]
  let series = QuantitySeries(
    unit: "u", value: 4, count: 2, minimum: 3, maximum: 5, latest: quantities[0],
    quantities: QuantitySeriesCodec.encode(quantities, from: 7))
  let voltages = VoltageCodec.encode(VoltageRecord(times: [0, 1], leads: []))
  let synced = EncodedMetadata([:], sync: EncodedMetadata.Sync(identifier: "one", version: 1))
  let file = sample("file", .archive([1, 2]))
  try await store.save([
    sample("series", .quantitySeries(series)),
    sample("electric", .recording(archive: [1], voltages: voltages)),
    sample("electric", .recording(archive: [2], voltages: voltages)),
    sample("category", .category(-3)), sample("synced", .category(1), synced), file,
    record(1, at: 1, type: "other", from: provenance(source: "other")),
    sample("pair", .correlation([record(2, at: 7, type: "part")])),
  ])
  let attachment = AttachmentRecord(
    uuid: UUID(), name: "a", contentType: "public.data", size: AttachmentRecord.pieceSize + 1, created: 1,
    metadata: nil)
  _ = try await store.attach(
    attachment, Data(repeating: 1, count: attachment.size),
    to: SampleDatabase.AttachmentOwner(sample: file.uuid, savedBy: "s", ofTypes: ["file"]) { .type($0) },
    greatestCount: 3)
}

/// Returns heart rates, beats and metadata. Equal counts give equal records.
func mixedRecords(_ count: Int) -> [SampleRecord] {
  (0..<count).map { index in
    var uuid = UUID(uuidString: "00000000-0000-4000-8000-000000000000")?.uuid ?? UUID().uuid
    (uuid.14, uuid.15) = (UInt8(index >> 8 & 0xFF), UInt8(index & 0xFF))
    let start = Int64(index) * 60_000_000
    let metadata = EncodedMetadata(["n": .integer(Int64(index % 7)), "text": .string("row \(index % 50)")])
    guard index % 10 == 9 else {
      return record(Double(index % 120), at: start, uuid: UUID(uuid: uuid), metadata: metadata)
    }
    let beats = HeartbeatCodec.encode((0..<40).map { Heartbeat(offset: Double($0), precededByGap: $0 == 0) })
    return SampleRecord(
      uuid: UUID(uuid: uuid), type: "beats", start: start, end: start + 40_000_000, provenance: provenance(),
      metadata: metadata, content: .heartbeatSeries(count: 40, beats: beats))
  }
}

/// The summary of the first hour of `mixedRecords`, which has a heart rate each minute, except every tenth.
private func hour(of minutes: Int) -> HourSummary {
  let values = (0..<minutes).filter { $0 % 10 != 9 }
  let figures = HourSummary.Figures(
    count: values.count, first: 0, last: 58 * 60_000_000, least: 0, greatest: 58, weightedSum: 0, weight: 1,
    covered: 0, latest: 58, latestStart: 0, latestEnd: 0)
  return HourSummary(start: 0, unit: 1, all: figures, bySource: [.init(source: 1, figures: figures)])
}
