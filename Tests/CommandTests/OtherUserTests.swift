import Foundation
import Testing

@testable import HealthKit
@testable import TestSupport

/// Tests which files another user of the machine can read.
@Suite struct OtherUserTests {
  private static let canBeOther = geteuid() == 0 && Command.path(of: "setpriv") != nil

  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    // Every user may list the folder and write to it.
    chmod(folder.url.path, 0o777)
  }

  /// Runs a command with a umask that hides nothing.
  private func hrgate(_ arguments: String...) throws {
    let command = [Command.hrgate.path] + arguments + ["--store", store]
    let result = try Command.tool("sh", ["-c", "umask 0; exec \"$@\"", "-"] + command)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
  }

  /// Lets a gateway write its metrics file.
  private func writeMetrics(_ path: String) async throws {
    let gateway = Process()
    gateway.executableURL = URL(filePath: "/bin/sh")
    let arguments = ["run", "--wait", "--bus", "none", "--metrics", path, "--store", store]
    gateway.arguments = ["-c", "umask 0; exec \"$@\"", "-", Command.hrgate.path] + arguments
    gateway.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
    gateway.standardOutput = FileHandle.nullDevice
    gateway.standardError = FileHandle.nullDevice
    try gateway.run()
    #expect(await eventually { FileManager.default.fileExists(atPath: path) })
    gateway.terminate()
    gateway.waitUntilExit()
  }

  private func files(_ tests: String..., as user: [String] = ["env"]) throws -> [String] {
    // Unreadable folders are reported on standard error.
    try Command.tool(user[0], user.dropFirst() + ["find", folder.url.path, "-type", "f"] + tests).lines
  }

  @Test(.enabled(if: canBeOther, "only an administrator can act as another user"))
  func `another user can read no store, backup, export or synced file`()
    async throws
  {
    let input = try TemporaryFolder()
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", input.path("beats.btsnoop"))
    try hrgate("replay", input.path("beats.btsnoop"))
    try hrgate("store", "backup", folder.path("backup.sqlite"))
    try hrgate("store", "recover", folder.path("recovered.sqlite"))
    try hrgate("store", "vacuum")
    try hrgate("store", "restore", folder.path("backup.sqlite"))
    for format in ["csv", "ndjson", "apple-health-xml"] {
      try hrgate("export", "--format", format, "-o", folder.path("out.\(format)"))
    }
    try hrgate("export", "--format", "rr", "--for", "kubios", "-o", folder.path("out.rr"))
    try await writeMetrics(folder.path("hrgate.prom"))
    try hrgate("sync", "add", "files", "file://\(folder.path("carried"))")
    try hrgate("sync", "run", "--once")
    // While the store is open, it has a write-ahead log and shared memory.
    let open = try HKHealthStore(storeAt: store)
    try await open.acting(as: HKSource(name: "s", bundleIdentifier: "s")).save(
      HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60), start: .now, end: .now))
    let files = try files()
    let names = [
      "s.sqlite", "s.sqlite-wal", "s.sqlite-shm", "s.sqlite.before-restore", "backup.sqlite",
      "recovered.sqlite", "out.csv", "out.ndjson", "out.apple-health-xml", "out.rr", "hrgate.prom",
    ]
    for name in names { #expect(files.contains(folder.path(name)), "\(name)") }
    #expect(files.contains { $0.hasPrefix(folder.path("carried/")) })
    let other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    #expect(try self.files("-readable", as: other) == [])
    #expect(try self.files("-writable", as: other) == [])
    withExtendedLifetime(open) {}
  }
}
