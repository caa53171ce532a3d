import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests crashes at each step. Afterwards the page is sent again, and every line is written once.
@Suite(.timeLimit(.minutes(30))) struct CrashTests {
  private let pages = (0..<3).map { page in
    ChangePage((0..<4).map { heartRate(after: Double(page * 4 + $0)) }, deleted: [UUID()])
  }

  private var story: [String] {
    pages.flatMap { page in
      page.deleted.map { "-" + $0.uuid.uuidString } + page.added.map(\.sample.uuid.uuidString)
    }
  }

  /// Returns the folder of a run that was killed after two pages. The folder of an open store is copied, with
  /// SQLite's write-ahead log.
  private func crashed(_ query: String = "age=1d", marker: UUID? = nil) async throws -> Place {
    let place = try Place()
    let store = try place.store(query)
    _ = try await store.open(expecting: marker.map { DestinationMarker(id: $0) })
    for (index, page) in pages.prefix(2).enumerated() {
      _ = try await store.upload(
        ChangePage(
          type: page.type, deleted: page.deleted, added: page.added,
          marker: marker.map { DestinationMarker(id: $0, sequence: Int64(index) + 1) }))
    }
    let copy = try Place()
    try FileManager.default.copyItem(atPath: place.path, toPath: copy.path)
    await store.close()
    return copy
  }

  private func uploadAll(_ place: Place, _ query: String = "age=1d") async throws {
    let store = try place.store(query)
    try await store.open()
    for page in pages { _ = try await store.upload(page) }
    await store.close()
  }

  private func hidden(_ place: Place, _ prefix: String, _ format: String = "ndjson") throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: place.hidden(format).path)
    return place.hidden(format).appending(path: try #require(names.first { $0.hasPrefix(prefix) }))
  }

  @Test func `killed after a page, before the file was renamed`() async throws {
    let place = try await crashed()
    #expect(place.names() == [])
    let store = try place.store()
    try await store.open()
    #expect(place.names() == ["samples-20261121-000001.ndjson"], "the written lines are visible to readers")
    await store.close()
    try await uploadAll(place)
    #expect(try place.story() == story)
  }

  @Test func `killed in the middle of a page: partial lines are removed`() async throws {
    let place = try await crashed()
    let file = try FileHandle(forUpdating: try hidden(place, "samples"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(#"{"uuid":"half a li"#.utf8))
    try file.close()
    try await uploadAll(place)
    #expect(try place.story() == story)
  }

  @Test func `killed within the commit of a page`() async throws {
    let place = try await crashed()
    let log = try Data(contentsOf: try hidden(place, "index.sqlite-wal"))
    #expect(log.count > 10_000)
    for cut in Array(stride(from: 0, to: log.count, by: 1021)) + [log.count] {
      for tail in [0, 9, 5000] {
        let copy = try Place()
        try FileManager.default.copyItem(atPath: place.path, toPath: copy.path)
        try (log.prefix(cut) + Data(count: tail)).write(to: try hidden(copy, "index.sqlite-wal"))
        try await uploadAll(copy)
        #expect(try copy.story() == story, "at \(cut)")
      }
    }
  }

  @Test func `killed after the file was renamed, before the index was updated`() async throws {
    let place = try await crashed("format=csv&age=1d")
    // Only the file with the samples was renamed before the crash, and the file with the deletions was not.
    let samples = try hidden(place, "samples", "csv")
    try FileManager.default.moveItem(
      at: samples, to: URL(filePath: place.path).appending(path: samples.lastPathComponent))
    try await uploadAll(place, "format=csv&age=1d")
    #expect(
      place.names() == [
        "deletions-20261121-000001.csv", "deletions-20261121-000002.csv", "samples-20261121-000001.csv",
        "samples-20261121-000002.csv",
      ])
    #expect(try place.lines("samples").count == 2 + 12)
    #expect(try place.lines("deletions").count == 2 + 3)
    #expect(Set(try place.lines("samples")).count == 1 + 12)
  }

  @Test func `killed before the first record`() async throws {
    let place = try Place()
    let store = try place.store()
    try await store.open()
    await store.close()
    try Data("half a line".utf8).write(to: place.hidden().appending(path: "samples-20261121-000001.ndjson"))
    try await uploadAll(place)
    #expect(try place.story() == story)
  }

  @Test func `a damaged index does not truncate a file`() async throws {
    let marker = UUID()
    let crash = try await crashed(marker: marker)
    // SQLite has closed the index of this copy, so the main file of the index has all entries. The file with
    // the samples is still hidden.
    let closed = try Place()
    try FileManager.default.copyItem(atPath: crash.path, toPath: closed.path)
    _ = try WrittenIndex(Folder(closed.hidden().path, mayMake: false))
    for (place, name) in [(crash, "index.sqlite-wal"), (closed, "index.sqlite")] {
      let url = try hidden(place, name)
      let lines = try Data(contentsOf: try hidden(place, "samples"))
      let content = try Data(contentsOf: url)
      var noticed = 0
      for byte in Array(stride(from: 0, to: content.count, by: 37)) {
        let copy = try Place()
        try FileManager.default.copyItem(atPath: place.path, toPath: copy.path)
        var damaged = content
        damaged[byte] ^= 0x10
        try damaged.write(to: try hidden(copy, name))
        let store = try copy.store()
        var found: Int64?
        let error = await storeError {
          found = try await store.open(expecting: DestinationMarker(id: marker, sequence: 2))
        }
        await store.close()
        let shown = copy.names().first.map { URL(filePath: copy.path).appending(path: $0) }
        #expect(try Data(contentsOf: shown ?? hidden(copy, "samples")) == lines, "byte \(byte) of \(name)")
        guard error != nil || found != 2 else { continue }
        noticed += 1
        #expect(shown == nil && error?.outlook != .passing, "byte \(byte) of \(name): \(error as Any)")
      }
      // Damage to the other bytes is not noticed: they are free space, UUIDs, and data that SQLite does not
      // check.
      #expect(noticed >= 5, "\(name)")
      try content.write(to: url)
      try await uploadAll(place)
      #expect(try place.story() == story)
    }
  }

  @Test func `missing lines in a file are reported`() async throws {
    let place = try await crashed()
    let file = try FileHandle(forUpdating: try hidden(place, "samples"))
    try file.truncate(atOffset: 10)
    try file.close()
    let store = try place.store()
    #expect(await storeError { try await store.open() }?.description.contains("is damaged") == true)
  }
}
