import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

@Suite(.timeLimit(.minutes(30))) struct DoctorTests {
  /// Returns the exit status and the findings of a check, each as verdict and text.
  private func findings(
    _ check: String, _ arguments: [String], environment: [String: String]
  ) throws -> (status: Int32, [(verdict: String, text: String)]) {
    let result = try Command.hrgate("doctor", arguments + ["--json"], environment: environment)
    let objects = try result.objects().filter { $0["check"] as? String == check }
    return (
      result.status,
      objects.map { ($0["verdict"] as? String ?? "", $0["finding"] as? String ?? "") }
    )
  }

  @Test func `a missing bus is reported together with all other findings`() throws {
    let folder = try TemporaryFolder()
    let environment = Command.withoutBus(folder)
    let result = try Command.hrgate("doctor", ["--store", folder.path("none")], environment: environment)
    #expect(result.status == 1 && result.errors.isEmpty)
    for words in ["fail  bus", "systemctl start dbus", "warn  store", "kernel"] {
      #expect(result.output.contains(words), "\(result.output)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `the state of bluetoothd is judged`() throws {
    let folder = try TemporaryFolder()
    let daemon = try ScriptedDaemon()
    func adapter() throws -> [String] {
      try findings("adapter", ["--store", folder.path("none")], environment: daemon.environment).1.map(
        \.verdict)
    }
    #expect(try adapter() == ["ok"])
    try daemon.order(
      #""do": "set", "path": "/org/bluez/hci0", "interface": "org.bluez.Adapter1", "properties": {"Powered": false}"#
    )
    #expect(try adapter() == ["fail"])
  }

  @Test func `the process that has the store open is reported`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    func store() throws -> [String] {
      try findings("store", ["--store", path], environment: Command.withoutBus(folder)).1.map(\.text)
    }
    do {
      let mine = try HKHealthStore(storeAt: path)
      // SQLite holds its lock only after the first read.
      _ = try await SystemStore(mine).isEmpty()
      let findings = try store()
      withExtendedLifetime(mine) {}
      #expect(
        findings.contains { $0.hasPrefix("open in ") && $0.contains("(process \(getpid())") }, "\(findings)")
    }
    #expect(try store().contains("no program has it open"))
  }

  @Test func `an older store is reported and left unchanged`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    do { _ = try HKHealthStore(storeAt: path) }
    // Make the store look like one of the previous version by removing its last migration.
    let last = "(SELECT max(CAST(identifier AS INTEGER)) FROM grdb_migrations)"
    let older = try Command.tool(
      "sqlite3",
      [
        path,
        "DELETE FROM grdb_migrations WHERE identifier = \(last) RETURNING identifier - 1",
      ])
    let version = try #require(Int(older.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    let (_, store) = try findings("store", ["--store", path], environment: Command.withoutBus(folder))
    #expect(store.first?.verdict == "ok", "\(store)")
    #expect(store.first?.text.contains("schema \(version)") == true, "\(store)")
    let count = try Command.tool("sqlite3", [path, "SELECT count(*) FROM grdb_migrations"])
    #expect(count.output == "\(version)\n")
  }

  @Test func `a damaged store, one that others can read, and a file that is not a store fail`() throws {
    let folder = try TemporaryFolder()
    let environment = Command.withoutBus(folder)
    let path = folder.path("s.sqlite")
    do { _ = try HKHealthStore(storeAt: path) }
    func store(_ path: String) throws -> String {
      try findings("store", ["--store", path], environment: environment).1.filter { $0.verdict == "fail" }
        .map(\.text).joined()
    }
    #expect(try store(path) == "")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(try store(path) == "other users can read it (mode 644)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seek(toOffset: 3 * 4096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    try file.close()
    #expect(try !store(path).isEmpty)
    let letter = try folder.file("letter", Array("a letter, and no database, of some length".utf8))
    #expect(try store(letter).contains("not a health store"))
    #expect(try store(folder.url.path).contains("is a directory"))
  }
}
