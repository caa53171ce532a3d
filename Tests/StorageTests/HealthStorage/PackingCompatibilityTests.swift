import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// No block is written as long as a program that knows none may have the store open.
@Suite struct PackingPermitTests {
  private func withEarlierStore(_ body: (_ path: String) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s.sqlite"
      var generator = SeededGenerator(seed: 3)
      let store = try SampleDatabase.open(at: path)
      try await store.save(secondsOfHour(100, &generator))
      // As an earlier version leaves it.
      try await store.writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 0") }
      try store.close()
      try await body(path)
    }
  }

  /// Has the store open as an earlier version would, in a process of its own.
  private func withEarlierProgram(_ path: String, _ body: () async throws -> Void) async throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("SELECT count(*) FROM sample;\n".utf8))
    _ = try output.fileHandleForReading.read(upToCount: 1)
    try await body()
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  private func isGranted(_ store: SampleDatabase) async throws -> Bool {
    try await store.read { try PackingCompatibility(in: $0).isGranted }
  }

  @Test func `what is measured goes into rows until then, and into batches from then on`() async throws {
    try await withEarlierStore { path in
      var opened: SampleDatabase?
      try await withEarlierProgram(path) {
        let store = try SampleDatabase.open(at: path)
        for (second, form) in [MeasuredForm.batch, .blocks].enumerated() {
          try await store.saveMeasured(Int64(second)..<Int64(second) + 1, as: form)
        }
        #expect(try await store.count(of: "batch") == 0)
        #expect(try await store.blockCount() == 0)
        #expect(try await store.rows().count == 166)
        opened = store
      }
      let store = try #require(opened)
      try await store.saveMeasured(2..<3)
      #expect(try await store.count(of: "batch") == 1)
    }
  }

  @Test func `a store that another program has open is not packed until that ends`() async throws {
    try await withEarlierStore { path in
      var opened: SampleDatabase?
      try await withEarlierProgram(path) {
        let store = try SampleDatabase.open(at: path)
        #expect(try await !isGranted(store))
        let error = await #expect(throws: StorageError.self) { try await store.packAll() }
        guard case .earlierProgram = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(try await store.blockCount() == 0)
        #expect(try await store.rows().count == 100)
        opened = store
      }
      let store = try #require(opened)
      // It is still open here.
      try await store.packAll()
      #expect(try await store.blockCount() == 1)
      #expect(try await isGranted(store))
      try await withEarlierProgram(path) { try await store.dissolveAll() }
      // Whoever has it open by now knows blocks.
      try await withEarlierProgram(path) { try await store.packAll() }
      #expect(try await store.blockCount() == 1)
    }
  }

  @Test func `who opens it alone may pack it from then on`() async throws {
    try await withEarlierStore { path in
      let store = try SampleDatabase.open(at: path)
      #expect(try await isGranted(store))
      try await withEarlierProgram(path) { try await store.packAll() }
      #expect(try await store.blockCount() == 1)
      // Its own locks are still there.
      #expect(try await store.samples(.everything, order: []).count == 100)
    }
  }

  @Test func `a new store may be packed from the beginning`() async throws {
    try await withTemporaryDirectory { directory in
      for store in [try SampleDatabase.open(at: directory + "/s"), try SampleDatabase.inMemory()] {
        #expect(try await isGranted(store))
      }
    }
  }
}
