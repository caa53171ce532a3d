import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// The database is stopped as by a loss of power, `hrgate sync run` is killed, both come back, and samples
/// are saved and deleted meanwhile: in the end both stores hold the same, and nothing twice.
@Suite struct SyncRecoveryTests {
  private static let isLong = ProcessInfo.processInfo.environment["HRGATE_LONG"] == "1"
  private static let rounds = isLong ? 50 : 5

  @Test(.timeLimit(.minutes(10)), .enabled(if: PostgreSQLServer.isInstalled))
  func `whatever ends in the middle, both stores hold the same in the end`() async throws {
    var generator = SeededGenerator(seed: 15)
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let server = try PostgreSQLServer()
    _ = try server.psql("postgres", "CREATE DATABASE health")
    let url = "postgresql://owner@/health?host=\(server.folder.path)&port=\(server.port)"
    #expect(try Command.hrgate("sync", "add", "lab", url, "--store", path).status == 0)

    var kept: [UUID: HKQuantitySample] = [:]
    var deleted: Set<UUID> = []
    var second = 0
    var interrupted = 0
    for _ in 0..<Self.rounds {
      let process = try carry(path)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let samples = (0..<Int.random(in: 1...1500, using: &generator)).map { _ in
          second += 1
          return Self.sample(second)
        }
        try await store.save(samples)
        for sample in samples { kept[sample.uuid] = sample }
        let gone = kept.values.filter { _ in Int.random(in: 0..<8, using: &generator) == 0 }
        if !gone.isEmpty { try await store.delete(gone) }
        for sample in gone {
          kept[sample.uuid] = nil
          deleted.insert(sample.uuid)
        }
        if Bool.random(using: &generator) {
          try server.stop()
          // Now and then it is away for long enough to be missed.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &generator)))
          try server.start()
        }
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &generator)))
      if try await status(path)["pending"] as? Int != 0 { interrupted += 1 }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let last = try Command.hrgate("sync", "run", "--once", "--store", path)
    #expect(last.status == 0, "\(last.errors)")
    let there = try server.psql("health", "SELECT uuid FROM hrgate.samples").compactMap {
      UUID(uuidString: $0)
    }
    #expect(there.count == Set(there).count, "something is there twice")
    #expect(Set(there) == Set(kept.keys))
    #expect(Set(there).isDisjoint(with: deleted))
    let here = try Samples(store: path).identifiers.compactMap { UUID(uuidString: $0) }
    #expect(Set(there) == Set(here))
    let status = try await status(path)
    #expect(status["pending"] as? Int == 0 && status["setAside"] as? Int == 0)
    print(
      "\(Self.rounds) rounds, \(interrupted) ended with changes under way: \(there.count) samples, \(deleted.count) deleted"
    )
  }

  private func carry(_ store: String) throws -> Process {
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["sync", "run", "--store", store]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func status(_ store: String) async throws -> [String: Any] {
    try #require(try Command.hrgate("sync", "status", "--json", "--store", store).objects().first)
  }

  private static func sample(_ second: Int) -> HKQuantitySample {
    let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(second))
    return HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: Double(50 + second % 100)),
      start: time, end: time)
  }
}
