import Foundation
import GRDB
import Testing

@testable import HealthStorage

/// Tests the check of a store before a gateway writes to it.
@Suite struct DamagedStoreRefusalTests {
  /// Damages a page of the table or of an index that contains a sample, in a closed store.
  private func damage(_ path: String, holding uuid: UUID) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    let needle = withUnsafeBytes(of: uuid.uuid) { Data($0) }
    let places = (0..<bytes.count / SampleDatabase.pageSize).map { $0 * SampleDatabase.pageSize }.filter {
      page in
      bytes[page] == 0x0D && bytes[page..<page + SampleDatabase.pageSize].range(of: needle) != nil
    }
    let page = try #require(places.first)
    bytes.replaceSubrange(page..<page + 8, with: Data(repeating: 0xA5, count: 8))
    try bytes.write(to: URL(filePath: path))
  }

  private func isRefused(_ path: String, momentBytes: Int64) -> Bool {
    do {
      try StoreUpkeep.refuseDamaged(path, momentBytes: momentBytes)
      return false
    } catch {
      guard case StorageError.damaged(path, let reason) = error else { return false }
      // The reason is a single line, without the heading of SQLite's integrity check.
      return !reason.contains("\n") && !reason.contains("***")
    }
  }

  @Test(arguments: [Int64.max, 0], [0, 1500, 2999])
  func `damage at the ends or in the middle is detected in small and large stores`(
    momentBytes: Int64, index: Int
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let store = try SampleDatabase.open(at: path)
      let records = mixedRecords(3000)
      try await store.save(records)
      try store.close()
      #expect(!isRefused(path, momentBytes: momentBytes))
      try damage(path, holding: records[index].uuid)
      #expect(isRefused(path, momentBytes: momentBytes))
    }
  }

  @Test func `each problem that SQLite reports is a separate string without heading`() {
    let row = "*** in database main ***\nPage 16 is never used\nTree 3 page 3: error code 11"
    #expect(SQLiteCheck.sentences(row) == ["Page 16 is never used", "Tree 3 page 3: error code 11"])
    #expect(SQLiteCheck.sentences("ok") == [])
  }

  @Test func `a missing or empty store is not damaged`() async throws {
    try await withTemporaryDirectory { directory in
      try StoreUpkeep.refuseDamaged(directory + "/s")
      #expect(!FileManager.default.fileExists(atPath: directory + "/s"))
      _ = FileManager.default.createFile(atPath: directory + "/empty", contents: nil)
      try StoreUpkeep.refuseDamaged(directory + "/empty")
    }
  }
}
