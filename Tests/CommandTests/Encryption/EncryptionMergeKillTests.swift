import Foundation
import HealthStorage
import Testing

@testable import TestSupport

/// Kills of the programs that store what a gateway has recorded while the store was locked: `hrgate store
/// unlock`, or a gateway.
@Suite(.enabled(if: hasKeyring, withoutKeyring), .timeLimit(.minutes(30))) struct EncryptionMergeKillTests {
  private static let kills = isLongRun ? 200 : 8

  private struct Content: Equatable {
    var samples: [String]
    var gaps: [String]
  }

  private func content(_ store: EncryptionStore) async throws -> Content {
    let database = try SampleDatabase.open(at: store.path, .none)
    #expect(try await database.integrity() == ["ok"])
    let samples = try await database.samples(.everything, order: []).map {
      "\($0.uuid) \($0.type) \($0.start) \($0.end) \($0.content)"
    }
    return Content(
      samples: samples.sorted(), gaps: try await database.gaps(MonitorGapFilter()).map { "\($0)" }.sorted())
  }

  /// Starts a gateway on an unlocked store, and kills it.
  /// - Returns: How long it took until it had stored everything, or was killed.
  private func killGateway(_ store: EncryptionStore, after time: Duration?) async throws -> Duration {
    let begin = ContinuousClock.now
    let gateway = try ClientProcess(["record", store.path], output: store.folder.path("gateway"))
    if let time {
      try await Task.sleep(for: time)
    } else {
      try #require(await eventually { !store.hasInbox || !gateway.isRunning })
    }
    gateway.kill()
    return ContinuousClock.now - begin
  }

  @Test func `a kill at any moment of a merge loses nothing and stores nothing twice`() async throws {
    let store = try await EncryptionStore(10)
    defer { store.end() }
    let inbox = try await RecordedInbox(store)
    #expect(try store.status().inboxEntries == inbox.entries)
    // The results and the durations without a kill.
    let whole = try store.copy(to: TemporaryFolder())
    let begin = ContinuousClock.now
    #expect(try whole.unlock().status == 0)
    var unlocking = ContinuousClock.now - begin
    let expected = try await content(whole)
    #expect(!whole.hasInbox && expected.gaps.count == inbox.gaps)
    let rates = expected.samples.filter { $0.contains(" HKQuantityTypeIdentifierHeartRate ") }
    #expect(rates.count == inbox.measurements + 10)
    let other = try store.copy(to: TemporaryFolder())
    var recording = try await killGateway(other, after: nil)
    #expect(try await content(other) == expected)

    var generator = SeededGenerator(
      seed: UInt64(ProcessInfo.processInfo.environment["HRGATE_SEED"] ?? "3") ?? 3)
    var (before, during, after) = (0, 0, 0)
    var killed = try store.copy(to: TemporaryFolder())
    var kill = -1
    // More kills than usual, if none of them was between two commits.
    while kill + 1 < Self.kills || during == 0 && kill + 1 < 5 * Self.kills {
      kill += 1
      let isGateway = kill % 2 == 1
      let share = Double.random(in: isGateway ? 0.1...1.0 : 0.4...1.0, using: &generator)
      if isGateway {
        _ = try await killGateway(killed, after: recording * share)
      } else {
        try await killed.kill(
          ["store", "unlock", "--passphrase-file", killed.passphrase], after: unlocking * share)
      }
      if killed.hasInbox {
        let database = try SampleDatabase.open(at: killed.path, .none)
        if try await database.inboxProgress() == nil { before += 1 } else { during += 1 }
        #expect(try await database.integrity() == ["ok"], "kill \(kill)")
        // Every third store is killed again.
        if kill % 3 == 0 { continue }
      } else {
        after += 1
        // The first runs may have been much slower, because the machine was busy.
        if isGateway { recording = recording * 0.6 } else { unlocking = unlocking * 0.8 }
      }
      let unlocked = try killed.unlock()
      #expect(unlocked.status == 0 && !killed.hasInbox, "kill \(kill): \(unlocked.errors)")
      let content = try await content(killed)
      guard content == expected else {
        Issue.record("kill \(kill), kept in \(try killed.keep(named: "merge-\(kill)"))")
        return
      }
      killed = try store.copy(to: TemporaryFolder())
    }
    #expect(during > 0, "\(before) \(during) \(after)")
    print(
      "\(kill + 1) kills: \(before) before the first commit, \(during) between two, \(after) after the last"
    )
  }
}
