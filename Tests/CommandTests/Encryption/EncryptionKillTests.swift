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
    let store = try await EncryptionStore(8_000)
    defer { store.end() }
    // Runs the command once to measure its duration.
    let begin = ContinuousClock.now
    #expect(try store.encrypt().status == 0)
    var duration = ContinuousClock.now - begin
    #expect(try store.run("store", "decrypt").status == 0)
    var generator = seededGenerator()
    var (before, after) = (0, 0)
    for kill in 0..<Self.kills {
      let samples = try await samples(afterKillOfWriter: kill, store)
      let isEncrypted = try store.status()["encrypted"] as? Bool == true
      let arguments = ["store", isEncrypted ? "decrypt" : "encrypt", "--passphrase-file", store.passphrase]
      // Deriving the key from the passphrase takes most of the time, so two of three kills are in the short rest:
      // during the conversion, and after the converted file has the store's name.
      let moment: EncryptionStore.Moment = [.converting, .renamed, .started][kill % 3]
      let wasRunning = try await store.kill(
        arguments,
        after: moment == .started
          ? duration * Double.random(in: 0.2...1.05, using: &generator)
          : .microseconds(Int.random(in: 0...(moment == .renamed ? 2000 : 5000), using: &generator)),
        moment)
      // The first run may have been much slower, because the machine was busy.
      if !wasRunning && moment == .started { duration = duration * 0.9 }
      let isNowEncrypted = try store.status()["encrypted"] as? Bool == true
      if wasRunning { if isNowEncrypted == isEncrypted { before += 1 } else { after += 1 } }
      if isNowEncrypted {
        let unlocked = try store.unlock()
        #expect(unlocked.status == 0, "kill \(kill): \(unlocked.errors)")
        try expectNothingReadable(store)
      }
      let now = try store.samples()
      #expect(now == samples, "kill \(kill)")
      let check = try store.run("store", "check")
      #expect(check.status == 0, "kill \(kill): \(check.output)")
      guard now == samples, check.status == 0 else {
        // Later rounds would fail too, and change the files.
        Issue.record("kept in \(try store.keep(named: "kill-\(kill)"))")
        return
      }
    }
    // Some kills must have come before the rename. With only a few kills, none may come after it.
    #expect(before > 0 && (after > 0 || !isLongRun), "\(before) \(after)")
    print("\(Self.kills) kills: \(before) before the new file had the store's name, \(after) after it,")
    print("\(Self.kills - before - after) after the command had ended")
  }

  /// Has a program write to the store, and kills it, so that the store has a log.
  /// - Returns: The samples.
  private func samples(afterKillOfWriter number: Int, _ store: EncryptionStore) async throws -> String {
    // Small batches, so that the store stays small in hundreds of rounds.
    let writer = try ClientProcess(
      ["write", store.path, "\(number * 1000)", "5", "0"], output: store.folder.path("writer-\(number)"))
    try #require(await eventually { try writer.numbers().count >= 2 || !writer.isRunning })
    writer.kill()
    let lines = try writer.lines()
    #expect(lines.count >= 2, "\(lines)")
    let log = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")
    #expect(log[.size] as? Int ?? 0 > 0)
    // Of a copy, because a command that ends normally removes the log.
    let copy = try store.copy(to: TemporaryFolder())
    return try copy.samples()
  }

  @Test func `what was acknowledged in an encrypted store survives kills of writers, and locks`() async throws
  {
    try await expectSurvival(isLongRun ? 200 : 10, seed: 9) { store, round, generator in
      try await Task.sleep(for: .microseconds(Int.random(in: 0...80_000, using: &generator)))
      if round % 3 == 2 { #expect(try store.run("store", "lock").status == 0) }
    }
  }

  @Test func `a kill of lock at any moment leaves a store that is locked or unlocked`() async throws {
    var duration = Duration.zero
    var (locked, unlocked) = (0, 0)
    try await expectSurvival(Self.kills, seed: 10) { store, round, generator in
      if round == 0 {
        // Measures its duration.
        let begin = ContinuousClock.now
        #expect(try store.run("store", "lock").status == 0)
        duration = ContinuousClock.now - begin
        return
      }
      try await store.kill(
        ["store", "lock"], after: duration * Double.random(in: 0.3...1.05, using: &generator))
      if try store.status()["locked"] as? Bool == true { locked += 1 } else { unlocked += 1 }
    }
    print("\(Self.kills) kills of lock: locked after \(locked), unlocked after \(unlocked)")
  }

  /// Has programs write to an encrypted store, each until `interrupt` has returned and it is killed.
  private func expectSurvival(
    _ rounds: Int, seed: UInt64,
    _ interrupt: (EncryptionStore, Int, inout SeededGenerator) async throws -> Void
  ) async throws {
    let store = try await EncryptionStore(10)
    defer { store.end() }
    #expect(try store.encrypt().status == 0)
    var generator = SeededGenerator(seed: seed)
    var acknowledged: Set<Int> = []
    var next = 1
    for round in 0..<rounds {
      let output = store.folder.path("output-\(round)")
      let writer = try ClientProcess(["write", store.path, "\(next)", "7", "0"], output: output)
      try #require(await eventually { try writer.numbers().count >= 3 || !writer.isRunning })
      let begin = try writer.lines()
      #expect(begin.count >= 3, "round \(round): \(begin)")
      try await interrupt(store, round, &generator)
      if try store.status()["locked"] as? Bool == true {
        // It ends with an error, because the store is locked.
        let isReported = try await eventually {
          try writer.lines().contains { $0.hasPrefix("error ") } || !writer.isRunning
        }
        try #require(isReported, "round \(round)")
        #expect(try writer.lines().contains { $0.hasPrefix("error ") }, "round \(round)")
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
    #expect(acknowledged.count >= 3 * rounds)
    #expect(acknowledged.subtracting(counts.keys) == [], "lost")
    #expect(counts.filter { $0.value != 7 } == [:], "in part")
    #expect(try await database.integrity() == ["ok"])
  }

  private func seededGenerator() -> SeededGenerator {
    SeededGenerator(seed: UInt64(ProcessInfo.processInfo.environment["HRGATE_SEED"] ?? "1") ?? 1)
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
