import ExternalStores
import Foundation
import HealthDataSync
import Testing

@testable import TestSupport

/// Tests folders that lost data, for example because their disk is not mounted.
@Suite(.timeLimit(.minutes(30))) struct FilesMarkerTests {
  private let place: Place
  private let id = UUID()

  init() throws { place = try Place() }

  private func expected(_ sequence: Int64?) -> DestinationMarker {
    DestinationMarker(id: id, sequence: sequence)
  }

  private func page(_ number: Int64, _ second: Double) -> ChangePage {
    let page = ChangePage([heartRate(after: second)])
    return ChangePage(type: page.type, deleted: [], added: page.added, marker: expected(number))
  }

  /// Writes two pages in two runs.
  private func writeTwoPages(_ format: String = "ndjson") async throws {
    for number in 1...2 as ClosedRange<Int64> {
      let store = try place.store("format=\(format)&age=1d")
      #expect(try await store.open(expecting: expected(number == 1 ? nil : number - 1)) == number - 1)
      #expect(try await store.upload(page(number, Double(number))) == [])
      await store.close()
    }
  }

  @Test(arguments: ["ndjson", "csv", "omh"])
  func `a missing folder is not created below the mount point`(format: String) async throws {
    try await writeTwoPages(format)
    try FileManager.default.removeItem(atPath: place.path)
    let error = await storeError {
      _ = try await place.store("format=\(format)&age=1d").open(expecting: expected(2))
    }
    #expect(error?.description.contains("the destination lost data") == true)
    #expect(error?.outlook == .lasting)
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test func `nothing is written to a mount point without its disk`() async throws {
    try await writeTwoPages()
    try FileManager.default.removeItem(atPath: place.path)
    try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
    let error = await storeError { _ = try await place.store().open(expecting: expected(2)) }
    #expect(error?.description.contains("mount its disk, or run sync reset") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: only an administrator can mount a disk"))
  func `a disk that is mounted again has everything`() async throws {
    try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
    var disk: SmallDisk? = try SmallDisk(size: "1m", at: place.path)
    try await writeTwoPages()
    let image = try TemporaryFolder()
    try SmallDisk.run("/bin/cp", "-a", place.path, image.path("disk"))
    _ = disk
    disk = nil
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
    #expect(
      await storeError { _ = try await place.store().open(expecting: expected(2)) }?.outlook == .lasting)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
    // Copies the files back into the folder, which has the same effect as mounting the disk again.
    try SmallDisk.run("/bin/cp", "-a", image.path("disk") + "/.", place.path)
    let store = try place.store()
    #expect(try await store.open(expecting: expected(2)) == 2)
    await store.close()
  }

  @Test func `a restored folder is behind`() async throws {
    try await writeTwoPages()
    let backup = place.folder.path("backup")
    try FileManager.default.copyItem(atPath: place.path, toPath: backup)
    let store = try place.store()
    #expect(try await store.open(expecting: expected(2)) == 2)
    _ = try await store.upload(page(3, 3))
    await store.close()
    try FileManager.default.removeItem(atPath: place.path)
    try FileManager.default.moveItem(atPath: backup, toPath: place.path)
    #expect(try await place.store().open(expecting: expected(3)) == 2)
  }

  @Test func `a page without new samples advances the marker`() async throws {
    let store = try place.store()
    _ = try await store.open(expecting: expected(nil))
    for number in 1...9 as ClosedRange<Int64> {
      let samples = (0..<3).map { heartRate(after: Double(number) * 10 + Double($0)) }
      let page = ChangePage(samples)
      _ = try await store.upload(
        ChangePage(type: page.type, deleted: [], added: page.added, marker: expected(number)))
    }
    let last = page(10, 1)
    _ = try await store.upload(last)
    _ = try await store.upload(
      ChangePage(type: last.type, deleted: [], added: last.added, marker: expected(11)))
    await store.close()
    let again = try place.store()
    #expect(try await again.open(expecting: expected(11)) == 11)
    await again.close()
  }

  @Test func `two destinations with one folder have separate markers`() async throws {
    try await writeTwoPages()
    let other = try place.store()
    let marker = DestinationMarker()
    #expect(try await other.open(expecting: marker) == 0)
    await other.close()
    let store = try place.store()
    #expect(try await store.open(expecting: expected(2)) == 2)
    try await store.reset()
    await store.close()
    #expect(try await other.open(expecting: DestinationMarker(id: marker.id, sequence: 0)) == 0)
    await other.close()
  }

  @Test func `a folder of a version without markers gets one`() async throws {
    let store = try place.store()
    try await store.open()
    _ = try await store.upload(ChangePage([heartRate()]))
    await store.close()
    let later = try place.store()
    #expect(try await later.open(expecting: expected(nil)) == 0)
    #expect(try await later.upload(ChangePage([heartRate(after: 1)])) == [])
    await later.close()
    #expect(try place.lines().count == 2)
  }
}
