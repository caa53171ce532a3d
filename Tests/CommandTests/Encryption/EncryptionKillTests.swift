import Foundation
import HealthStorage
import Testing

@testable import TestSupport

/// Kills the processes that encrypt, decrypt and write a store.
@Suite(.enabled(if: hasKeyring, withoutKeyring), .timeLimit(.minutes(30))) struct EncryptionKillTests {
  private static let kills = isLongRun ? 200 : 8

  @Test func `a kill at any moment leaves a complete store, and nothing readable after the next command`()
    async throws
  {
    let store = try await EncryptionStore(20_000)
    defer { store.end() }
    let samples = try store.samples()
    // Runs the command once to measure its duration.
    let begin = ContinuousClock.now
    #expect(try store.encrypt().status == 0)
    let duration = ContinuousClock.now - begin
    #expect(try store.run("store", "decrypt").status == 0)
    var generator = SeededGenerator(
      seed: UInt64(ProcessInfo.processInfo.environment["HRGATE_SEED"] ?? "1") ?? 1)
    var (before, after) = (0, 0)
    for kill in 0..<Self.kills {
      let isEncrypted = try store.status()["encrypted"] as? Bool == true
      let process = Process()
      process.executableURL = Command.hrgate
      process.arguments =
        ["store", isEncrypted ? "decrypt" : "encrypt", "--store", store.path]
        + ["--passphrase-file", store.passphrase]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // The command takes about half of its time to derive the key from the passphrase, and half to convert
      // the file.
      let share = Double.random(in: 0.2...1.05, using: &generator)
      try await Task.sleep(for: duration * share)
      Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let status = try store.status()
      let isNowEncrypted = status["encrypted"] as? Bool == true
      if isNowEncrypted == isEncrypted { before += 1 } else { after += 1 }
      if isNowEncrypted {
        let unlocked = try store.unlock()
        #expect(unlocked.status == 0, "kill \(kill): \(unlocked.errors)")
        try expectNothingReadable(store)
      }
      #expect(try store.samples() == samples, "kill \(kill)")
      let check = try store.run("store", "check")
      #expect(check.status == 0, "kill \(kill): \(check.output)")
    }
    // At least one kill must have interrupted the conversion of the file.
    #expect(before > 0, "\(before) \(after)")
  }

  @Test func `what was acknowledged in an encrypted store survives kills of writers, and locks`() async throws
  {
    let store = try await EncryptionStore(10)
    defer { store.end() }
    #expect(try store.encrypt().status == 0)
    var generator = SeededGenerator(seed: 9)
    var acknowledged: Set<Int> = []
    var next = 1
    for round in 0..<(isLongRun ? 200 : 10) {
      let output = store.folder.path("output-\(round)")
      let writer = try ClientProcess(["write", store.path, "\(next)", "7", "0"], output: output)
      try #require(await eventually { try writer.numbers().count >= 3 })
      try await Task.sleep(for: .microseconds(Int.random(in: 0...80_000, using: &generator)))
      if round % 3 == 2 {
        // Lock the store while the writer is running. The writer must report an error.
        #expect(try store.run("store", "lock").status == 0)
        try #require(await eventually { try writer.lines().contains { $0.hasPrefix("error ") } })
      }
      writer.kill()
      try expectNothingReadable(store)
      #expect(try store.unlock().status == 0)
      let said = try writer.numbers()
      acknowledged.formUnion(said)
      // The killed writer may have committed one more batch than it printed.
      next = (said.last ?? next) + 2
    }
    let database = try SampleDatabase.open(at: store.path, .none)
    let stored = try await database.samples(.type("HKQuantityTypeIdentifierHeartRate"), order: [])
    var counts: [Int: Int] = [:]
    for record in stored where record.provenance.revision.source.bundleIdentifier != "org.example.app" {
      if case .quantity(let value, _) = record.content { counts[Int(value), default: 0] += 1 }
    }
    #expect(acknowledged.count > 30)
    #expect(acknowledged.subtracting(counts.keys) == [], "lost")
    #expect(counts.filter { $0.value != 7 } == [:], "in part")
    #expect(try await database.integrity() == ["ok"])
  }

  private func expectNothingReadable(_ store: EncryptionStore) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path) {
      guard name.hasPrefix("s.sqlite"),
        let bytes = FileManager.default.contents(atPath: store.folder.path(name))
      else {
        continue
      }
      for word in ["SQLite format 3", "org.example.app"] {
        #expect(bytes.range(of: Data(word.utf8)) == nil, "\(name): \(word)")
      }
    }
  }
}
