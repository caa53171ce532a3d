import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Synchronization
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct FilesStoreTests {
  @Test func `readers see only complete files, with mode 0600`() async throws {
    let place = try Place()
    let store = try place.store()
    let samples = [heartRate(), heartRate(after: 1)]
    try await store.open()
    #expect(try await store.upload(ChangePage(samples)) == [])
    #expect(place.names() == [], "the file is not complete")
    await store.close()
    #expect(place.names() == ["samples-20261121-000001.ndjson"])
    #expect(try place.story() == samples.map(\.uuid.uuidString))
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(place.path) == 0o700)
    #expect(try mode(place.path + "/samples-20261121-000001.ndjson") == 0o600)
    #expect(try mode(place.hidden().path) == 0o700)
    for name in try FileManager.default.contentsOfDirectory(atPath: place.hidden().path) {
      #expect(try mode(place.hidden().appending(path: name).path) == 0o600)
    }
  }

  @Test(arguments: FilesAddress.Format.allCases)
  func `a page that is sent several times is written once, also after a reader removed it`(
    format: FilesAddress.Format
  ) async throws {
    let place = try Place()
    let query = "format=\(format.rawValue)&age=1d"
    let page = ChangePage((0..<5).map { heartRate(after: Double($0)) }, deleted: [UUID(), UUID()])
    let store = try place.store(query)
    try await store.open()
    for _ in 0..<2 { #expect(try await store.upload(page) == []) }
    await store.close()
    let first = try place.lines("")
    #expect(first.count == 7 + (format == .csv ? 2 : 0))
    for name in place.names() { try FileManager.default.removeItem(atPath: place.path + "/" + name) }
    let later = try place.store(query)
    for _ in 0..<2 {
      try await later.open()
      #expect(try await later.upload(page) == [])
      await later.close()
    }
    #expect(place.names() == [])
  }

  @Test func `duplicates in a page are written once, and a sample that it deletes and adds is added`()
    async throws
  {
    let place = try Place()
    let store = try place.store()
    let page = ChangePage([heartRate(), heartRate(after: 1)])
    let uuids = page.added.map(\.sample.uuid)
    let twice = ChangePage(
      page.added.map(\.sample) + page.added.map(\.sample), deleted: [uuids[0], uuids[0]])
    try await store.open()
    for _ in 0..<2 { _ = try await store.upload(twice) }
    await store.close()
    #expect(try place.story() == uuids.map(\.uuidString))
  }

  @Test func `a deletion and a later addition are written in this order`() async throws {
    let place = try Place()
    let sample = heartRate()
    for format in ["ndjson", "csv"] {
      let store = try place.store("format=\(format)&age=1d")
      try await store.open()
      _ = try await store.upload(ChangePage([sample]))
      _ = try await store.upload(ChangePage([], deleted: [sample.uuid]))
      _ = try await store.upload(ChangePage([sample]))
      await store.close()
    }
    let uuid = sample.uuid.uuidString
    let lines = try place.lines("samples-20261121-000001.ndjson")
    #expect(lines.count == 3 && lines[1] == #"{"deleted":"\#(uuid)"}"#)
    // In CSV, the sample that was added again is in a file with a higher number than its deletion.
    #expect(
      place.names().filter { $0.hasSuffix("csv") } == [
        "deletions-20261121-000001.csv", "samples-20261121-000001.csv", "samples-20261121-000002.csv",
      ])
    #expect(
      try place.lines("deletions") == ["uuid,type", "\(uuid),HKQuantityTypeIdentifierHeartRate"])
  }

  // MARK: - Rotation

  @Test func `a file ends after the page that reaches its size`() async throws {
    let place = try Place()
    let store = try place.store("size=1K&age=1d")
    try await store.open()
    for page in 0..<4 {
      _ = try await store.upload(ChangePage((0..<3).map { heartRate(after: Double(page * 3 + $0)) }))
    }
    #expect(place.names().count >= 2)
    await store.close()
    let sizes = try place.names().map { try place.text($0).utf8.count }
    #expect(sizes.dropLast().allSatisfy { $0 >= 1024 })
    #expect(try place.lines().count == 12)
  }

  @Test func `each day has its own files`() async throws {
    let place = try Place()
    let store = try place.store()
    try await store.open()
    _ = try await store.upload(ChangePage([heartRate()]))
    place.clock.withLock { $0 += 86_400 }
    _ = try await store.upload(ChangePage([heartRate(after: 1)]))
    #expect(place.names() == ["samples-20261121-000001.ndjson"])
    await store.close()
    #expect(place.names() == ["samples-20261121-000001.ndjson", "samples-20261122-000002.ndjson"])
  }

  @Test func `a file is completed at its maximum age without another page`() async throws {
    let place = try Place()
    let store = try place.store("age=1s")
    try await store.open()
    _ = try await store.upload(ChangePage([heartRate()]))
    #expect(await eventually { place.names().count == 1 })
    _ = try await store.upload(ChangePage([heartRate(after: 1)]))
    #expect(await eventually { place.names().count == 2 })
    await store.close()
    #expect(try place.lines().count == 2)
  }

  @Test func `a file of another program is not overwritten`() async throws {
    let place = try Place()
    try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
    let foreign = URL(filePath: place.path).appending(path: "samples-20261121-000001.ndjson")
    try Data("mine\n".utf8).write(to: foreign)
    let store = try place.store()
    try await store.open()
    _ = try await store.upload(ChangePage([heartRate()]))
    await store.close()
    #expect(place.names() == ["samples-20261121-000001-2.ndjson", "samples-20261121-000001.ndjson"])
    #expect(try place.text("samples-20261121-000001.ndjson") == "mine\n")
  }

  // MARK: - Invalid folders

  @Test func `one writer at a time`() async throws {
    let place = try Place()
    let first = try place.store()
    let second = try place.store()
    let other = try place.store("format=csv")
    try await first.open()
    let error = await storeError { try await second.open() }
    #expect(error?.outlook == .passing)
    #expect(error?.description.contains("its own directory") == true)
    try await other.open()
    await other.close()
    await first.close()
    try await second.open()
    await second.close()
  }

  @Test func `an invalid folder is reported in a sentence`() async throws {
    let place = try Place()
    let file = try place.folder.file("file", [])
    for (path, says) in [
      (file, "is not a directory"), (file + "/below", "is not a directory"),
      (place.folder.path("absent/below"), "does not exist"),
    ] {
      let store = try place.store(in: path)
      let error = await storeError { try await store.open() }
      #expect(error?.outlook == .lasting)
      #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }
  }

  @Test func `a folder that disappeared with its disk is not created again`() async throws {
    let place = try Place()
    let store = try place.store()
    try await store.open()
    await store.close()
    try FileManager.default.removeItem(atPath: place.path)
    let error = await storeError { try await store.open() }
    #expect(error?.description.contains("mount its disk") == true)
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test func `a link instead of the hidden folder is not followed`() async throws {
    let place = try Place()
    try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: place.hidden(), withDestinationURL: place.folder.url)
    let store = try place.store()
    #expect(await storeError { try await store.open() }?.outlook == .lasting)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.url.path) == ["out"])
  }

  @Test func `a page before opening is an error, not a trap`() async throws {
    let store = try Place().store()
    #expect(await storeError { _ = try await store.upload(ChangePage([heartRate()])) }?.outlook == .passing)
  }
}
