import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests the rows of files that are attached to samples.
@Suite struct AttachmentRowTests {
  private func owner(_ sample: SampleRecord, ofTypes types: Set<String> = ["t"])
    -> SampleDatabase.AttachmentOwner
  {
    SampleDatabase.AttachmentOwner(sample: sample.uuid, savedBy: "s", ofTypes: types) { .type($0) }
  }

  private func attachment(_ size: Int) -> AttachmentRecord {
    AttachmentRecord(
      uuid: UUID(), name: "a", contentType: "public.png", size: size, created: 5,
      metadata: EncodedMetadata(["k": .integer(1)]))
  }

  private func rows(_ database: SampleDatabase) async throws -> [Int] {
    try await database.writer.read { database in
      try ["attachment", "attachment_piece", "attachment WHERE sample IS NULL"].map {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? -1
      }
    }
  }

  @Test func `a file is stored in pieces, which are deleted with it and with its sample`() async throws {
    let database = try SampleDatabase.inMemory()
    let sample = record(1, at: 1)
    try await database.save([sample])
    let size = AttachmentRecord.pieceSize * 2 + 1
    let files = [attachment(size), attachment(size)]
    for file in files {
      #expect(
        try await database.attach(file, Data(count: size), to: owner(sample), greatestCount: 2))
    }
    #expect(
      try await !database.attach(attachment(1), Data(count: 1), to: owner(sample), greatestCount: 2)
    )
    #expect(try await rows(database) == [2, 6, 0])
    #expect(try await database.attachments(of: sample.uuid) { .type($0) } == files)
    for (place, length) in [(0, 262_144), (1, 262_144), (2, 1), (3, 0), (-1, 0)] {
      #expect(files[0].length(ofPiece: place) == length)
      let piece = try await database.piece(place, ofAttachment: files[0].uuid) { .type($0) }
      #expect(piece?.count == (length > 0 ? length : nil))
    }
    #expect(try await database.deleteAttachment(files[0].uuid, of: owner(sample)))
    #expect(try await rows(database) == [1, 3, 0])
    try await database.delete([sample.uuid], savedBy: "s")
    #expect(try await rows(database) == [0, 0, 0])
  }

  @Test
  func `a replacement inherits the files of its sample, and no file is orphaned`()
    async throws
  {
    let database = try SampleDatabase.inMemory()
    func version(_ version: Int64) -> SampleRecord {
      record(
        1, at: 1,
        metadata: EncodedMetadata(
          ["v": .integer(version)], sync: EncodedMetadata.Sync(identifier: "i", version: version)))
    }
    let versions = [version(1), version(2), version(3)]
    let file = attachment(3)
    try await database.save([versions[0]])
    #expect(
      try await database.attach(file, Data([1, 2, 3]), to: owner(versions[0]), greatestCount: 9))
    try await database.save([versions[1]])
    try await database.save([versions[2]])
    #expect(try await rows(database) == [1, 1, 0])
    #expect(try await database.attachments(of: versions[2].uuid) { .type($0) } == [file])
  }

  @Test func `a sample of another type or source, or a missing one, gets no attachment`()
    async throws
  {
    let database = try SampleDatabase.inMemory()
    let (sample, others) = (record(1, at: 1), record(1, at: 2, from: provenance(source: "o")))
    try await database.save([sample, others])
    for owner in [owner(sample, ofTypes: ["u"]), owner(others), owner(record(1, at: 3))] {
      await #expect(throws: StorageError.self) {
        try await database.attach(attachment(1), Data(count: 1), to: owner, greatestCount: 9)
      }
    }
    #expect(try await rows(database) == [0, 0, 0])
  }

  @Test func `a store from a version without attachments accepts them`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/health.sqlite"
      let sample = record(1, at: 1)
      try await {
        let database = try SampleDatabase.open(at: path)
        try await database.save([sample])
        try await database.writer.write {
          try $0.execute(
            sql: """
              DROP TABLE attachment_piece; DROP TABLE attachment;
              DELETE FROM grdb_migrations WHERE identifier = '8'
              """)
        }
      }()
      let database = try SampleDatabase.open(at: path)
      #expect(
        try await database.attach(
          attachment(1), Data(count: 1), to: owner(sample), greatestCount: 9))
      #expect(try await rows(database) == [1, 1, 0])
    }
  }
}
