import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Stops the database as in a power failure, kills `hrgate sync run` or a gateway, and restarts both, while
/// samples are measured, saved and deleted. Afterwards both stores have the same samples, each once.
@Suite(.serialized) struct SyncRecoveryTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let rounds = 6
  /// The same seed gives the same random choices in each round, except for the timing of the processes.
  private static let seed = environment["HRGATE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)

  /// Each case has its own seed, and kills a syncing process in six rounds. Nine cases of the long run have
  /// more than fifty rounds.
  @Test(
    .timeLimit(.minutes(30)), .enabled(if: PostgreSQLServer.isInstalled),
    arguments: seed..<seed + (isLongRun ? 9 : 1))
  func `whatever ends in the middle, both stores hold the same in the end`(seed: UInt64) async throws {
    print("SyncRecoveryTests: HRGATE_SEED=\(seed)")
    var life = try await SyncedLife(seed: seed)
    for round in 0..<Self.rounds { try await life.live(round) }
    let last = try Command.hrgate("sync", "run", "--once", "--store", life.path)
    #expect(last.status == 0, "\(last.errors)")
    let there = try life.server.psql("health", "SELECT uuid FROM hrgate.samples").compactMap {
      UUID(uuidString: $0)
    }
    #expect(there.count == Set(there).count, "something is there twice")
    let here = try Samples(store: life.path).identifiers.compactMap { UUID(uuidString: $0) }
    #expect(Set(there) == Set(here))
    #expect(Set(there).isSuperset(of: life.kept.map(\.uuid)))
    #expect(Set(there).isDisjoint(with: life.deleted))
    let status = try life.status()
    #expect(status["pending"] as? Int == 0 && status["setAside"] as? Int == 0)
    let measured = there.count - life.kept.count
    #expect(!ScriptedDaemon.isInstalled || measured > 0)
    print(
      "\(Self.rounds) rounds, \(life.interrupted) ended with something left to carry: \(there.count) samples, \(measured) of them measured, \(life.deleted.count) deleted"
    )
  }
}

/// A store that a gateway and programs use, and the database that it is synced to.
private struct SyncedLife {
  /// The moment at which the syncing process is killed.
  private enum Ending: CaseIterable {
    /// While the database is stopped and changes are pending.
    case withoutDatabase
    /// Immediately after a sample was saved.
    case atOnce
    case later
  }

  let path: String
  let server: PostgreSQLServer
  private(set) var kept: [HKQuantitySample] = []
  private(set) var deleted: Set<UUID> = []
  /// Number of rounds that ended with pending changes.
  private(set) var interrupted = 0
  private let folder: TemporaryFolder
  private let store: HKHealthStore
  private let daemon: ScriptedDaemon?
  private var generator: SeededGenerator
  private var second = 0

  init(seed: UInt64) async throws {
    generator = SeededGenerator(seed: seed)
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    store = try HKHealthStore(storeAt: path)
    server = try PostgreSQLServer(isDurable: true)
    _ = try server.psql("postgres", "CREATE DATABASE health")
    let url = "postgresql://owner@/health?host=\(server.folder.path)&port=\(server.port)"
    let added = try Command.hrgate("sync", "add", "lab", url, "--store", path)
    #expect(added.status == 0, "\(added.errors)")
    daemon = ScriptedDaemon.isInstalled ? try ScriptedDaemon() : nil
    try await ScriptedDaemon.enrolStrap(inStoreAt: path)
  }

  func status() throws -> [String: Any] {
    try #require(try Command.hrgate("sync", "status", "--json", "--store", path).objects().first)
  }

  /// Returns the number of samples and deletions that were sent so far.
  private func carried() async throws -> Int {
    try await SyncDestinations(store).status().reduce(0) { $0 + $1.sent + $1.deleted }
  }

  /// Starts a syncing program and kills it.
  mutating func live(_ round: Int) async throws {
    let before = try await carried()
    let isGateway = round % 2 == 1
    let process = isGateway ? try await gateway(round) : try start(["sync", "run"], [:], nil)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      try await use(isGateway)
      if Bool.random(using: &generator) {
        try server.stop()
        // Sometimes the database is stopped long enough for the sync to notice.
        try await pause()
        try server.start()
      }
    }
    // Wait until the process has sent something, so that it is not killed before it has started its work.
    #expect(try await eventually { try await carried() > before })
    let ending = Ending.allCases[round % Ending.allCases.count]
    switch ending {
    case .withoutDatabase:
      try server.stop()
      try await use(isGateway)
      try await pause()
    case .atOnce: try await use(isGateway)
    case .later: try await pause()
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    if try status()["pending"] as? Int != 0 { interrupted += 1 }
    if ending == .withoutDatabase { try server.start() }
  }

  private mutating func pause() async throws {
    try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &generator)))
  }

  /// Measures, saves and deletes some samples.
  private mutating func use(_ isGateway: Bool) async throws {
    if isGateway {
      let rates = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
        UInt8.random(in: 50...180, using: &generator)
      }
      try daemon?.measure(rates)
    }
    let samples = (0..<Int.random(in: 1...1500, using: &generator)).map { _ in
      second += 1
      return Self.sample(second)
    }
    try await store.save(samples)
    kept += samples
    var gone: [HKQuantitySample] = []
    kept.removeAll { sample in
      guard Int.random(in: 0..<8, using: &generator) == 0 else { return false }
      gone.append(sample)
      return true
    }
    if !gone.isEmpty { try await store.delete(gone) }
    deleted.formUnion(gone.map(\.uuid))
  }

  /// Starts a gateway that follows the strap, or one without a bus if there is no scripted bluetoothd.
  private func gateway(_ round: Int) async throws -> Process {
    let lines = folder.path("lines-\(round)")
    _ = FileManager.default.createFile(atPath: lines, contents: nil)
    let process = try start(
      ["run", "--wait", "--json", "--commit-interval", "0.1"],
      daemon?.environment ?? Command.withoutBus(folder), lines)
    if daemon != nil {
      #expect(
        await eventually {
          (try? String(contentsOfFile: lines, encoding: .utf8))?.contains("following") == true
        })
    }
    return process
  }

  private func start(
    _ arguments: [String], _ environment: [String: String], _ output: String?
  ) throws -> Process {
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = arguments + ["--store", path]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output.map { FileHandle(forWritingAtPath: $0) } ?? FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private static func sample(_ second: Int) -> HKQuantitySample {
    let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(second))
    return HKQuantitySample(
      type: HKQuantityType(.heartRate),
      quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: Double(50 + second % 100)),
      start: time, end: time)
  }
}
