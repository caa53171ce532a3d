import Foundation
import HealthDataSync
import HealthKit
import SyncFiles
import Testing

@testable import TestSupport

/// What a crash leaves, at each place where there may be one: afterwards the page comes again, and every line
/// stands once.
@Suite(.timeLimit(.minutes(30))) struct CrashTests {
  private let pages = (0..<3).map { page in
    ChangePage((0..<4).map { heartRate(after: Double(page * 4 + $0)) }, deleted: [UUID()])
  }

  private var story: [String] {
    pages.flatMap { page in
      page.deleted.map { "-" + $0.uuid.uuidString } + page.added.map(\.sample.uuid.uuidString)
    }
  }

  /// A folder in which two pages were carried by a run that ended without a word.
  private func crashed(_ query: String = "age=1d") async throws -> Place {
    let place = try Place()
    let store = try place.store(query)
    try await store.open()
    for page in pages.prefix(2) { _ = try await store.carry(page) }
    return place
  }

  private func carryAll(_ place: Place, _ query: String = "age=1d") async throws {
    let store = try place.store(query)
    try await store.open()
    for page in pages { _ = try await store.carry(page) }
    await store.close()
  }

  private func hidden(_ place: Place, _ prefix: String, _ format: String = "ndjson") throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: place.hidden(format).path)
    return place.hidden(format).appending(path: try #require(names.first { $0.hasPrefix(prefix) }))
  }

  @Test func `killed after a page, before the change of name`() async throws {
    let place = try await crashed()
    #expect(place.names() == [])
    let store = try place.store()
    try await store.open()
    #expect(place.names() == ["samples-20261121-000001.ndjson"], "what was carried is there for readers")
    await store.close()
    try await carryAll(place)
    #expect(try place.story() == story)
  }

  @Test func `killed in the middle of a page: what was half written goes`() async throws {
    let place = try await crashed()
    let file = try FileHandle(forUpdating: try hidden(place, "samples"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(#"{"uuid":"half a li"#.utf8))
    try file.close()
    try await carryAll(place)
    #expect(try place.story() == story)
  }

  @Test func `killed within the record of a page`() async throws {
    let place = try await crashed()
    let ledger = try Data(contentsOf: try hidden(place, "ledger"))
    // Two records of the same size, one for each page.
    let one = ledger.count / 2
    for cut in Array(stride(from: one, to: ledger.count, by: 3)) + [ledger.count] {
      for tail in [0, 9] {
        let copy = try Place()
        try FileManager.default.copyItem(atPath: place.path, toPath: copy.path)
        try (ledger.prefix(cut) + Data(count: tail)).write(to: try hidden(copy, "ledger"))
        try await carryAll(copy)
        #expect(try copy.story() == story, "at \(cut)")
      }
    }
  }

  @Test func `killed after the change of name, before it was noted`() async throws {
    let place = try await crashed("format=csv&age=1d")
    // Of the two files, one has its name.
    let samples = try hidden(place, "samples", "csv")
    try FileManager.default.moveItem(
      at: samples, to: URL(filePath: place.path).appending(path: samples.lastPathComponent))
    try await carryAll(place, "format=csv&age=1d")
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
    try await carryAll(place)
    #expect(try place.story() == story)
  }

  @Test func `notes that a disk changed are not believed: nothing is cut off on their word`() async throws {
    let place = try await crashed()
    let url = try hidden(place, "ledger")
    let ledger = try Data(contentsOf: url)
    for byte in [0, 8, 20, 36, 60, ledger.count / 2 - 1] {
      var damaged = ledger
      damaged[byte] ^= 0x10
      try damaged.write(to: url)
      let store = try place.store()
      let error = await storeError { try await store.open() }
      #expect(error?.outlook == .lasting)
      #expect(error?.description.contains("is damaged") == true, "byte \(byte)")
    }
    try ledger.write(to: url)
    try await carryAll(place)
    #expect(try place.story() == story)
  }

  @Test func `lines that are missing from a file are told`() async throws {
    let place = try await crashed()
    let file = try FileHandle(forUpdating: try hidden(place, "samples"))
    try file.truncate(atOffset: 10)
    try file.close()
    let store = try place.store()
    #expect(await storeError { try await store.open() }?.description.contains("is damaged") == true)
  }
}
