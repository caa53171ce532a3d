import Foundation
import Testing

@testable import TestSupport

/// Tests that `hrgate replay --dry-run` reports what the same command would store.
@Suite struct DryRunTests {
  private let folder: TemporaryFolder
  private let log: String
  /// The first half of the log, which cuts its last heartbeat series short.
  private let half: String

  init() throws {
    folder = try TemporaryFolder()
    log = folder.path("log.btsnoop")
    _ = try Command.hrgate("simulate", "--straps", "2", "--duration", "10m", "--seed", "7", "-o", log)
    let bytes = Array(try Data(contentsOf: URL(filePath: log)))
    half = try folder.file("half.btsnoop", Array(bytes.prefix(bytes.count / 2)))
  }

  private struct Account: Equatable {
    var stored: [String: Int]
    var duplicates: Int
    var rejected: [String: Int]
  }

  private func accounts(_ arguments: String...) throws -> [Account] {
    try Command.hrgate(["replay"] + arguments + ["--json"]).objects().map { record in
      Account(
        stored: try #require(record["stored"] as? [String: Int]),
        duplicates: try #require(record["duplicates"] as? Int),
        rejected: try #require(record["rejected"] as? [String: Int]))
    }
  }

  @Test func `stored samples count as duplicates, and the store is unchanged`() throws {
    let store = folder.path("s.sqlite")
    _ = try accounts(half, "--store", store)
    let before = try Command.hrgate("samples", "--store", store, "--json").output
    let rehearsed = try accounts(log, "--dry-run", "--store", store)
    #expect(try Command.hrgate("samples", "--store", store, "--json").output == before)
    let stored = try accounts(log, "--store", store)
    #expect(rehearsed == stored)
    #expect(stored[0].duplicates > 100)
    // The half log gives a shorter heartbeat series of the same beats. Replaying it adds nothing to the
    // store.
    #expect(try accounts(half, log, "--dry-run", "--store", store) == accounts(half, log, "--store", store))
  }

  @Test func `each log is counted as if the previous ones had been stored`() throws {
    let rehearsed = try accounts(half, log, half, "--dry-run")
    #expect(rehearsed == (try accounts(half, log, half, "--store", folder.path("s.sqlite"))))
    #expect(rehearsed[1].duplicates > 100 && rehearsed[2].stored.isEmpty)
  }

  @Test func `a missing store is not created`() throws {
    let store = folder.path("none.sqlite")
    let rehearsed = try accounts(log, "--dry-run", "--store", store)
    #expect(!FileManager.default.fileExists(atPath: store))
    #expect(rehearsed == (try accounts(log, "--store", folder.path("s.sqlite"))))
  }
}
