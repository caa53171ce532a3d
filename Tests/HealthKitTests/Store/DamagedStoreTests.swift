import HealthStorage
import HealthSystem
import Testing

@testable import HealthKit

/// Tests stores that cannot be used: the error is errorDatabaseInaccessible, with the cause and a suggestion,
/// and the file is not changed.
@Suite struct DamagedStoreTests {
  private func withStore(
    of samples: Int, _ body: (_ path: String) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "health.sqlite").path
    do {
      let store = try HKHealthStore(storeAt: path)
      try await store.save((0..<samples).map { heartRate(60, at: Double($0)) })
    }
    try await body(path)
  }

  private func failure(_ body: () async throws -> Void) async -> HKError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? HKError
    }
  }

  private func everything(at path: String) async throws {
    _ = try await everyHeartRate().result(for: try HKHealthStore(storeAt: path))
  }

  @Test func `a damaged page is reported, and the file is not replaced`() async throws {
    try await withStore(of: 5000) { path in
      var bytes = try Data(contentsOf: URL(filePath: path))
      for position in stride(from: 4096 * 20, to: bytes.count, by: 1) { bytes[position] = 0xA5 }
      try bytes.write(to: URL(filePath: path))
      let failure = try #require(await failure { try await everything(at: path) })
      #expect(failure.code == .errorDatabaseInaccessible)
      #expect(failure.localizedDescription.contains("SQLITE_CORRUPT"))
      #expect(failure.localizedDescription.contains("hrgate store check"))
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }
  }

  @Test func `a damaged header is reported, and the file is not replaced`() async throws {
    try await withStore(of: 10) { path in
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes.replaceSubrange(0..<100, with: Data(repeating: 7, count: 100))
      try bytes.write(to: URL(filePath: path))
      let failure = try #require(await failure { try await everything(at: path) })
      #expect(failure.code == .errorDatabaseInaccessible)
      #expect(failure.localizedDescription.contains("is not a health store"))
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }
  }

  @Test func `a truncated file is reported`() async throws {
    try await withStore(of: 5000) { path in
      let bytes = try Data(contentsOf: URL(filePath: path)).prefix(4096 * 15)
      try bytes.write(to: URL(filePath: path))
      let failure = try #require(await failure { try await everything(at: path) })
      #expect(failure.code == .errorDatabaseInaccessible)
      #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }
  }

  @Test func aUnitThatDoesNotFitItsTypeIsNotPreferred() async throws {
    let store = try HKHealthStore.inMemory()
    let type = HKQuantityType(.bodyMass)
    try await store.systemDatabase().setPreferredUnit(of: type.identifier, to: "count/min")
    let unit = try await store.preferredUnits(for: [type])[type]
    #expect(unit.map(type.is(compatibleWith:)) == true)
    #expect(try await store.user.chosenUnits().isEmpty)
  }

  @Test func `a directory at the path is reported`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "hrgate-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let failure = try #require(await failure { try await everything(at: directory.path) })
    #expect(failure.code == .errorDatabaseInaccessible)
  }

  @Test(arguments: [
    ("SQLITE_BUSY", "another program"), ("SQLITE_FULL", "free some disk space"),
    ("SQLITE_READONLY", "no permission to write"),
    ("SQLITE_IOERR", "disk"), ("SQLITE_CANTOPEN", "belong to this user"),
  ])
  func `an SQLite error has a suggestion`(code: String, remedy: String) {
    let error = HKError(StorageError.sqlite(code: code, message: "m"))
    #expect(error.code == .errorDatabaseInaccessible)
    #expect(error.localizedDescription.contains(code))
    #expect(error.localizedDescription.contains(remedy))
  }
}
