import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests full and read-only disks. The test mounts a disk of its own, which needs root.
@Suite(
  .enabled(if: SmallDisk.canMount, "skipped: needs the right to mount a tmpfs"), .timeLimit(.minutes(30)))
struct FilesFullDiskTests {
  @Test func `a full disk is reported, no line is partial, and later everything arrives once`()
    async throws
  {
    let disk = try SmallDisk(size: "256k")
    let reader = Reader()
    let place = try Place()
    let path = disk.path + "/out"
    let store = try place.store(in: path)
    try await store.open()
    let pages = (0..<120).map { page in
      ChangePage((0..<20).map { heartRate(after: Double(page * 20 + $0)) })
    }
    var index = 0
    var failures = 0
    while index < pages.count {
      let error = await storeError {
        _ = try await store.upload(pages[index])
        index += 1
      }
      guard let error else { continue }
      failures += 1
      #expect(error.outlook == .passing)
      #expect(error.description.contains("is full: free space") == true, "\(error.description)")
      try #require(failures < 50)
      // The reader removes the complete files, which frees space on the disk.
      try reader.takeAway(from: disk)
      if await storeError({ try await store.open() }) != nil {
        try reader.takeAway(from: disk)
        try await store.open()
      }
    }
    await store.close()
    try reader.takeAway(from: disk)
    #expect(failures > 0)
    let uuids = pages.flatMap { $0.added.map(\.sample.uuid.uuidString) }
    #expect(reader.taken.sorted() == uuids.sorted())
  }

  @Test func `a read-only disk is reported`() async throws {
    let disk = try SmallDisk(size: "256k")
    try disk.makeReadOnly()
    let place = try Place()
    let store = try place.store(in: disk.path)
    let error = await storeError { try await store.open() }
    #expect(error?.outlook == .lasting)
    #expect(error?.description.contains("read-only") == true, "\(error?.description ?? "")")
  }
}

/// A reader that moves files out of a folder.
private final class Reader {
  private(set) var taken: [String] = []

  /// Reads the complete files and removes them.
  func takeAway(from disk: SmallDisk) throws {
    let folder = URL(filePath: disk.path).appending(path: "out")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix("samples") {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      for line in text.split(separator: "\n") {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        taken.append(object?["uuid"] as? String ?? "?")
      }
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }
}
