import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Tests a folder with the index of an earlier version: two sorted files (`index-1-3`, `index-4-4`) and a log
/// (`ledger-5`). That version was killed after nine pages of four heartbeat series each, and a reader has
/// removed the four complete files.
@Suite(.timeLimit(.minutes(30))) struct EarlierIndexTests {
  private let place: Place
  private let marker = EarlierIndexTests.uuid(255)

  init() throws {
    place = try Place()
    try FileManager.default.createDirectory(at: place.hidden(), withIntermediateDirectories: true)
    for (name, text) in Self.files {
      let content = try #require(Data(base64Encoded: text))
      try content.write(to: place.hidden().appending(path: name))
    }
  }

  private static func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (number &* 37, 1, 2, 3, 4, 5, 0x46, 7, 0x88, 9, 10, 11, 12, 13, 14, number))
  }

  private static func series(_ number: UInt8) throws -> ExternalRecord {
    let sample = try HKHeartbeatSeriesSample(
      uuid: uuid(number), start: start.addingTimeInterval(Double(number)),
      beats: [.init(timeIntervalSinceStart: 0, precededByGap: false)], device: nil, metadata: nil)
    return ExternalRecord(sample: sample)
  }

  /// Returns a page as the earlier version has written it. Pages with an odd number also delete the first
  /// sample of the page before.
  private func page(_ number: UInt8, sequence: Int64? = nil) throws -> ChangePage {
    ChangePage(
      type: HKSeriesType.heartbeat(),
      deleted: number % 2 == 1 ? [HKDeletedObject(uuid: Self.uuid((number - 1) * 4), metadata: nil)] : [],
      added: try (0..<4).map { try Self.series(number * 4 + $0) },
      marker: DestinationMarker(id: marker, sequence: sequence ?? Int64(number) + 1))
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.hidden().path).sorted()
  }

  private func hidden(_ name: String) -> URL { place.hidden().appending(path: name) }

  /// UUIDs of the samples in the last file, which is not complete.
  private let lastLines = (32..<36).map { EarlierIndexTests.uuid($0).uuidString }

  @Test(arguments: [1, 2]) func `a sync continues and does not write samples again`(times: Int) async throws {
    for _ in 0..<times {
      let store = try place.store("age=1d&size=1K")
      #expect(try await store.open(expecting: DestinationMarker(id: marker, sequence: 9)) == 9)
      #expect(try names() == ["index.sqlite", "index.sqlite-wal", "lock"])
      // Sends all pages again, without the samples that were deleted, as to a destination that was removed
      // and added again.
      for number in 0..<9 as Range<UInt8> {
        var page = try page(number, sequence: 9)
        if number % 2 == 0, number < 8 {
          page = ChangePage(
            type: page.type, deleted: [], added: Array(page.added.dropFirst()), marker: page.marker)
        }
        #expect(try await store.upload(page) == [])
      }
      await store.close()
    }
    #expect(try place.story() == lastLines)
    let store = try place.store("age=1d")
    #expect(try await store.open(expecting: DestinationMarker(id: marker, sequence: 9)) == 9)
    _ = try await store.upload(ChangePage(records: [try Self.series(0)], deleted: [Self.uuid(1)]))
    _ = try await store.upload(page(9))
    await store.close()
    let added = [0, 36, 37, 38, 39].map { Self.uuid($0).uuidString }
    #expect(
      try place.story() == lastLines + ["-" + Self.uuid(1).uuidString, added[0]]
        + ["-" + Self.uuid(32).uuidString] + added.dropFirst())
    #expect(place.names() == ["samples-20261121-000005.ndjson", "samples-20261121-000006.ndjson"])
  }

  @Test func `killed before the old files were removed`() async throws {
    _ = try WrittenIndex(Folder(place.hidden().path, mayMake: false))
    for (name, text) in Self.files where !name.hasPrefix("samples") {
      try #require(Data(base64Encoded: text)).write(to: hidden(name))
    }
    try Data("half".utf8).write(to: hidden("index-2-9.new"))
    try await carryOn()
  }

  @Test func `killed while the new index was written`() async throws {
    // The write-ahead log has no committed transaction, so SQLite ignores it.
    try Data().write(to: hidden("index.sqlite"))
    try Data(count: 70_000).write(to: hidden("index.sqlite-wal"))
    try await carryOn()
  }

  @Test func `files of an interrupted sort or merge of the earlier version are ignored`() async throws {
    // Adds a sorted file that was merged into another, a ledger that was sorted into a file, an unfinished
    // file, and half a record.
    try Data(count: 0).write(to: hidden("index-1-1"))
    try FileManager.default.copyItem(at: hidden("ledger-5"), to: hidden("ledger-4"))
    try Data("half".utf8).write(to: hidden("index-2-9.new"))
    let ledger = try FileHandle(forUpdating: hidden("ledger-5"))
    try ledger.seekToEnd()
    try ledger.write(contentsOf: Data("HRLDGR02half".utf8))
    try ledger.close()
    try await carryOn()
  }

  private func carryOn() async throws {
    let store = try place.store("age=1d")
    #expect(try await store.open(expecting: DestinationMarker(id: marker, sequence: 9)) == 9)
    #expect(try names() == ["index.sqlite", "index.sqlite-wal", "lock"])
    _ = try await store.upload(page(8, sequence: 9))
    _ = try await store.upload(ChangePage(records: [try Self.series(5)]))
    await store.close()
    #expect(try place.story() == lastLines)
  }

  @Test(arguments: ["index-1-3", "index-4-4", "ledger-5"])
  func `a damaged index is reported and kept`(name: String) async throws {
    var content = try Data(contentsOf: hidden(name))
    // Byte 16 is the state of an entry in a sorted file. In the ledger it belongs to the first record.
    content[16] ^= 0x40
    try content.write(to: hidden(name))
    let store = try place.store("age=1d")
    let error = await storeError {
      _ = try await store.open(expecting: DestinationMarker(id: marker, sequence: 9))
    }
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("is damaged") == true)
    #expect(Set(try names()).isSuperset(of: Self.files.keys))
    #expect(try Data(contentsOf: hidden(name)) == content)
  }

  @Test func `a ledger of the first layout`() throws {
    let temporary = try TemporaryFolder()
    let uuids = (0..<3).map { _ in UUID() }
    var record = Data("HRLDGR01".utf8)
    func append(_ number: UInt64) {
      withUnsafeBytes(of: number.littleEndian) { record.append(contentsOf: $0) }
    }
    for number in [7, 100, 20, UInt64(uuids.count)] { append(number) }
    append(indexChecksum(record))
    for uuid in uuids {
      withUnsafeBytes(of: uuid.uuid) { record.append(contentsOf: $0) }
      record.append(1)
    }
    append(indexChecksum(record))
    try record.write(to: URL(filePath: temporary.path("ledger-1")))
    var index: WrittenIndex! = try WrittenIndex(Folder(temporary.url.path, mayMake: false))
    #expect(index.segment == SegmentPosition(number: 7, samples: 100, deletions: 20))
    let marker = UUID()
    #expect(try index.sequence(of: marker) == nil)
    try index.commit(index.segment, [.deleted(uuids[0])], .init(id: marker, sequence: 4))
    index = nil
    index = try WrittenIndex(Folder(temporary.url.path, mayMake: false))
    #expect(try index.sequence(of: marker) == 4)
    let states = try index.read { known in try uuids.map { try known.state(of: $0, start: start) } }
    #expect(states == [.deleted, .added, .added])
  }

  private static let files = [
    "index-1-3": """
    AAECAwQFRgeICQoLDA0OAAIDAQIDBAVGB4gJCgsMDQ4HAQYBAgMEBUYHiAkKCwwNDg4BCQECAwQFRgeICQoLDA0OFQElAQID\
    BAVGB4gJCgsMDQ4BASgBAgMEBUYHiAkKCwwNDggCKwECAwQFRgeICQoLDA0ODwEuAQIDBAVGB4gJCgsMDQ4WAUoBAgMEBUYH\
    iAkKCwwNDgIBTQECAwQFRgeICQoLDA0OCQFQAQIDBAVGB4gJCgsMDQ4QAlMBAgMEBUYHiAkKCwwNDhcBbwECAwQFRgeICQoL\
    DA0OAwFyAQIDBAVGB4gJCgsMDQ4KAXUBAgMEBUYHiAkKCwwNDhEBlAECAwQFRgeICQoLDA0OBAGXAQIDBAVGB4gJCgsMDQ4L\
    AZoBAgMEBUYHiAkKCwwNDhIBuQECAwQFRgeICQoLDA0OBQG8AQIDBAVGB4gJCgsMDQ4MAb8BAgMEBUYHiAkKCwwNDhMB3gEC\
    AwQFRgeICQoLDA0OBgHhAQIDBAVGB4gJCgsMDQ4NAeQBAgMEBUYHiAkKCwwNDhQB
    """,
    "index-4-4": """
    DAECAwQFRgeICQoLDA0OHAExAQIDBAVGB4gJCgsMDQ4dAVYBAgMEBUYHiAkKCwwNDh4BeAECAwQFRgeICQoLDA0OGAJ7AQID\
    BAVGB4gJCgsMDQ4fAZ0BAgMEBUYHiAkKCwwNDhkBwgECAwQFRgeICQoLDA0OGgHnAQIDBAVGB4gJCgsMDQ4bAQ==
    """,
    "ledger-5": """
    SFJMREdSMDIEAAAAAAAAADMHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPYtdZ74IFHI\
    YYgXRZP/hmNIUkxER1IwMgQAAAAAAAAAMwcAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2wECAwQFRgeICQoLDA0O/wgAAAAAAAAA\
    pd2Q3gIX7FfvZSaX+7x4PUhSTERHUjAyBQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
    AAAAAAAAAAC1n9QJLXgo866Xl4GQ8qKjSFJMREdSMDIFAAAAAAAAAIADAAAAAAAAAAAAAAAAAAAEAAAAAAAAANsBAgMEBUYH\
    iAkKCwwNDv8JAAAAAAAAAEINL4bacHwLoAECAwQFRgeICQoLDA0OIAHFAQIDBAVGB4gJCgsMDQ4hAeoBAgMEBUYHiAkKCwwN\
    DiIBDwECAwQFRgeICQoLDA0OIwEtNxrIHRyynA==
    """,
    "samples-20261121-000005.ndjson": """
    eyJlbmQiOiIyMDI2LTExLTIxVDA2OjA5OjMyLjEyMzQ1NloiLCJtZXRhZGF0YSI6e30sInNvdXJjZSI6eyJidW5kbGVJZGVu\
    dGlmaWVyIjoiIiwibmFtZSI6IiJ9LCJzdGFydCI6IjIwMjYtMTEtMjFUMDY6MDk6MzIuMTIzNDU2WiIsInR5cGUiOiJIS0Rh\
    dGFUeXBlSWRlbnRpZmllckhlYXJ0YmVhdFNlcmllcyIsInV1aWQiOiJBMDAxMDIwMy0wNDA1LTQ2MDctODgwOS0wQTBCMEMw\
    RDBFMjAifQp7ImVuZCI6IjIwMjYtMTEtMjFUMDY6MDk6MzMuMTIzNDU2WiIsIm1ldGFkYXRhIjp7fSwic291cmNlIjp7ImJ1\
    bmRsZUlkZW50aWZpZXIiOiIiLCJuYW1lIjoiIn0sInN0YXJ0IjoiMjAyNi0xMS0yMVQwNjowOTozMy4xMjM0NTZaIiwidHlw\
    ZSI6IkhLRGF0YVR5cGVJZGVudGlmaWVySGVhcnRiZWF0U2VyaWVzIiwidXVpZCI6IkM1MDEwMjAzLTA0MDUtNDYwNy04ODA5\
    LTBBMEIwQzBEMEUyMSJ9CnsiZW5kIjoiMjAyNi0xMS0yMVQwNjowOTozNC4xMjM0NTZaIiwibWV0YWRhdGEiOnt9LCJzb3Vy\
    Y2UiOnsiYnVuZGxlSWRlbnRpZmllciI6IiIsIm5hbWUiOiIifSwic3RhcnQiOiIyMDI2LTExLTIxVDA2OjA5OjM0LjEyMzQ1\
    NloiLCJ0eXBlIjoiSEtEYXRhVHlwZUlkZW50aWZpZXJIZWFydGJlYXRTZXJpZXMiLCJ1dWlkIjoiRUEwMTAyMDMtMDQwNS00\
    NjA3LTg4MDktMEEwQjBDMEQwRTIyIn0KeyJlbmQiOiIyMDI2LTExLTIxVDA2OjA5OjM1LjEyMzQ1NloiLCJtZXRhZGF0YSI6\
    e30sInNvdXJjZSI6eyJidW5kbGVJZGVudGlmaWVyIjoiIiwibmFtZSI6IiJ9LCJzdGFydCI6IjIwMjYtMTEtMjFUMDY6MDk6\
    MzUuMTIzNDU2WiIsInR5cGUiOiJIS0RhdGFUeXBlSWRlbnRpZmllckhlYXJ0YmVhdFNlcmllcyIsInV1aWQiOiIwRjAxMDIw\
    My0wNDA1LTQ2MDctODgwOS0wQTBCMEMwRDBFMjMifQo=
    """,
  ]
}
