import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests `hrgate sync` on the command line with destinations that lost data or do not accept everything.
@Suite(.timeLimit(.minutes(30))) struct SyncLossTests {
  private let folder: TemporaryFolder
  private let path: String
  private let store: HKHealthStore

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    store = try HKHealthStore(storeAt: path)
  }

  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  private func quantity(
    _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, at second: Double = 0,
    lasting: Double = 0
  ) -> HKQuantitySample {
    let time = Self.start + second
    return HKQuantitySample(
      type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
      start: time,
      end: time + lasting)
  }

  private func saveRates(_ seconds: Range<Int>) async throws {
    try await store.save(seconds.map { quantity(.heartRate, 70, "count/min", at: Double($0)) })
  }

  private func sync(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(["sync"] + arguments + ["--store", path])
  }

  private func status(_ name: String) throws -> [String: Any] {
    try #require(try sync("status", "--json").objects().first { $0["name"] as? String == name })
  }

  @Test(
    .enabled(if: SmallDisk.canMount, "skipped: only an administrator can mount a disk"),
    arguments: [true, false])
  func `a folder on a disk that is not mounted is not made below the mount point`(isEmpty: Bool) async throws
  {
    let mount = folder.path("mount")
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
    var disk: SmallDisk? = try SmallDisk(size: "4m", at: mount)
    try await saveRates(0..<3)
    #expect(try sync("add", "files", "file://\(mount)/heart").status == 0)
    if !isEmpty { #expect(try sync("run", "--once").status == 0) }
    _ = disk
    disk = nil
    try await saveRates(3..<5)
    let lost = try sync("run", "--once")
    #expect(lost.status == 1)
    #expect(lost.errors.contains("the destination lost data") && lost.errors.contains("run sync reset"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: mount) == [])
    #expect(try status("files")["state"] as? String == "blocked")
    #expect(try status("files")["pending"] as? Int == (isEmpty ? 5 : 2))
    // The user confirms that everything is to be sent again.
    #expect(try sync("reset", "files").status == 0)
    #expect(try sync("run", "--once").output.hasPrefix("files: 5 samples sent"))
    #expect(try status("files")["state"] as? String == "current")
  }

  @Test(.enabled(if: PostgreSQLServer.isInstalled))
  func `a schema that was dropped, and a database of yesterday`()
    async throws
  {
    let server = try PostgreSQLServer.shared.get()
    let name = "loss_\(UUID().uuidString.prefix(8).lowercased())"
    _ = try server.psql("postgres", "CREATE DATABASE \(name)")
    try await saveRates(0..<700)
    let url = "postgresql://owner@/\(name)?host=\(server.folder.path)&port=\(server.port)"
    #expect(try sync("add", "lab", url).status == 0)
    #expect(try sync("run", "--once").status == 0)
    _ = try server.psql("postgres", "CREATE DATABASE \(name)_old TEMPLATE \(name)")
    try await saveRates(700..<701)
    #expect(try sync("run", "--once").status == 0)
    _ = try server.psql("postgres", "DROP DATABASE \(name)")
    _ = try server.psql("postgres", "ALTER DATABASE \(name)_old RENAME TO \(name)")
    for _ in 0..<2 {
      let lost = try sync("run", "--once")
      #expect(lost.status == 1 && lost.errors.contains("the destination lost data"), "\(lost.errors)")
    }
    #expect(try server.psql(name, "SELECT count(*) FROM hrgate.sample") == ["700"])
    _ = try server.psql(name, "DROP SCHEMA hrgate CASCADE")
    #expect(try sync("run", "--once").errors.contains("the schema hrgate"))
    #expect(try server.psql(name, "SELECT count(*) FROM pg_namespace WHERE nspname = 'hrgate'") == ["0"])
    #expect(try sync("reset", "lab").status == 0)
    #expect(try sync("run", "--once").status == 0)
    #expect(try server.psql(name, "SELECT count(*) FROM hrgate.sample") == ["701"])
  }

  @Test func `types that a destination never accepts are counted, and the exit status is 0`() async throws {
    try await saveRates(0..<3)
    try await store.save((0..<40).map { quantity(.flightsClimbed, 3, "count", at: Double($0), lasting: 1) })
    try await store.save(
      HKCategorySample(
        type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.inBed.rawValue,
        start: Self.start, end: Self.start + 60))
    #expect(try sync("add", "study", "file://\(folder.path("study"))?format=omh").status == 0)
    for _ in 0..<2 {
      let run = try sync("run", "--once")
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      #expect(run.output.contains("41 samples are not accepted and not sent"))
    }
    let status = try status("study")
    #expect(status["state"] as? String == "current" && status["setAside"] as? Int == 0)
    #expect(["sent", "pending"].map { status[$0] as? Int } == [3, 0])
    let rejected = try #require(status["rejected"] as? [[String: Any]])
    #expect(rejected.map { $0["samples"] as? Int } == [1, 40])
    #expect(try sync("status").output.contains("41 samples are not accepted"))
  }

  @Test func `a destination that would accept nothing that was chosen is not added`() async throws {
    try await saveRates(0..<1)
    let none = try sync(
      "add", "study", "file://\(folder.path("study"))?format=omh", "--type", "flightsClimbed")
    #expect(none.status == 1 && none.errors.contains("no schema for samples of type"))
    let some = try sync(
      "add", "study", "file://\(folder.path("study"))?format=omh", "--type", "flightsClimbed", "--type",
      "heartRate")
    #expect(some.status == 0 && some.errors.contains("no schema for samples of type"))
    #expect(try sync("run", "--once").status == 0)
  }

  @Test func `a type that is excluded is not sent`() async throws {
    try await saveRates(0..<3)
    try await store.save(quantity(.stepCount, 5, "count", lasting: 1))
    let added = try sync("add", "files", "file://\(folder.path("out"))", "--exclude-type", "stepCount")
    #expect(added.status == 0 && added.output.contains("all types except stepCount"))
    #expect(added.output.contains("3 samples and deletions to send"))
    #expect(try sync("run", "--once").output.hasPrefix("files: 3 samples sent"))
    let listed = try #require(try sync("list", "--json").objects().first)
    #expect(listed["excludedTypes"] as? [String] == ["stepCount"] && listed["types"] == nil)
    #expect(try sync("list").output.contains("all except stepCount"))
    #expect(
      try sync(
        "add", "other", "file://\(folder.path("out2"))", "--type", "heartRate", "--exclude-type", "stepCount"
      )
      .status == 2)
  }

  @Test(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"))
  func `a token that is renewed while hrgate waits is used within seconds`() async throws {
    let server = try FHIRServer()
    try server.set(["token": "old"])
    let file = try folder.file("secret", Array("old\n".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try await saveRates(0..<2)
    #expect(try sync("add", "ward", server.url(), "--secret-file", file).status == 0)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["sync", "run", "--store", path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    #expect(try await eventually { try server.uuids().count == 2 })
    try server.set(["token": "new"])
    try await saveRates(2..<3)
    #expect(try await eventually { try status("ward")["state"] as? String == "blocked" })
    try Data("new\n".utf8).write(to: URL(filePath: file))
    // The changed token file must trigger a retry at once. Without it, the next retry would be five minutes
    // later.
    #expect(try await eventually { try server.uuids().count == 3 })
    #expect(try await eventually { try status("ward")["lastError"] is NSNull })
  }
}
