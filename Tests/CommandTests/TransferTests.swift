import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Tests `import`, `export`, `delete` and `store` on the command line.
@Suite struct TransferTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
  }

  private static let export = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [ <!ELEMENT HealthData ANY> ]>
    <HealthData locale="en_US">
     <ExportDate value="2026-11-22 09:00:00 +0100"/>
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-05-17" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale" HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"/>
     <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:00:00 +0100" value="60"/>
     <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="2026-01-01 08:01:00 +0100" endDate="2026-01-01 08:01:00 +0100" value="61"/>
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" startDate="2026-01-01 08:00:00 +0100" endDate="2026-01-01 08:10:00 +0100" value="500"/>
     <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="never" endDate="never" value="62"/>
     <ActivitySummary dateComponents="2026-01-01"/>
    </HealthData>

    """

  /// File names may be a single character, without a directory.
  @Test func `a file's name may be as short as it likes`() throws {
    func run(_ arguments: String...) throws {
      let result = try Command.hrgate(arguments, in: folder)
      #expect(result.status == 0, "\(arguments): \(result)")
    }
    _ = try file()
    try run("import", "export.xml", "--store", "s")
    try run("store", "backup", "b", "--store", "s")
    try run("store", "recover", "r", "--store", "b")
    try run("store", "check", "--store", "r")
    try run("store", "restore", "r", "--store", "n")
    try run("store", "restore", "r", "--store", "é")
    try run("samples", "--store", "é")
    try run("export", "--format", "csv", "-o", "c", "--store", "n")
  }

  private func file() throws -> String {
    try folder.file("export.xml", Array(Self.export.utf8))
  }

  private func importing(_ arguments: String...) throws -> [String: Any] {
    let result = try Command.hrgate(["import", try file(), "--store", store, "--json"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try #require(result.objects().first)
  }

  @Test func `an import reports what was stored and what was not`() throws {
    let first = try importing()
    #expect(first["records"] as? Int == 4 && first["stored"] as? Int == 3)
    #expect(first["rejected"] as? [String: Int] == ["time": 1])
    #expect(first["unread"] as? [String: Int] == ["ActivitySummary": 1])
    #expect(first["characteristics"] as? [String] == ["dateOfBirth", "biologicalSex"])
    let second = try importing()
    #expect(second["stored"] as? Int == 0 && second["present"] as? Int == 3)
    #expect(second["characteristics"] as? [String] == [])
    let listed = try Command.hrgate("characteristics", "list", "--store", store)
    #expect(listed.output.contains("1990-05-17"))
  }

  @Test func `a dry run stores nothing, and needs no store`() throws {
    #expect(try importing("--dry-run")["records"] as? Int == 4)
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test func `a truncated export is reported with the stored samples`() throws {
    let bytes = Array(Self.export.utf8)
    let cut = try folder.file("cut.xml", Array(bytes.prefix(bytes.count - 120)))
    let result = try Command.hrgate("import", cut, "--store", store)
    #expect(result.status == 1)
    #expect(result.errors.contains("ends too early") && result.output.contains("3 stored"))
  }

  @Test func `a missing export creates no store and reports no counts`() throws {
    let missing = folder.path("none.zip")
    let result = try Command.hrgate("import", missing, "--store", store)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors == "hrgate: \(missing): No such file or directory\n")
    let object = try Command.hrgate("import", missing, "--store", store, "--json")
    #expect(object.status == 1 && !object.errors.contains("was read"))
    #expect(try object.objects().first?["failure"] as? String == "No such file or directory")
    #expect(!FileManager.default.fileExists(atPath: store))
    let text = try folder.file("text", Array("no export".utf8))
    let none = try Command.hrgate("import", text, "--store", store)
    #expect(none.status == 1 && !none.errors.contains("was read"), "\(none.errors)")
  }

  @Test(arguments: ["csv", "ndjson", "apple-health-xml"])
  func `an export is private and whole`(format: String) throws {
    _ = try importing()
    let path = folder.path("out")
    let result = try Command.hrgate("export", "--format", format, "-o", path, "--store", store)
    #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.split(separator: "\n").count >= 3)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let piped = try Command.hrgate("export", "--format", format, "-o", "-", "--store", store)
    #expect(piped.output.split(separator: "\n").count == text.split(separator: "\n").count)
  }

  @Test func `an export over the store or what belongs to it is refused`() throws {
    _ = try importing()
    let before = try Data(contentsOf: URL(filePath: store))
    try FileManager.default.createSymbolicLink(atPath: store + ".link", withDestinationPath: store)
    for name in [store, store + ".link", store + "-wal"] {
      let result = try Command.hrgate("export", "--format", "csv", "-o", name, "--store", store)
      #expect(result.status == 1 && result.errors.contains("\(name) is the store itself"), "\(result.errors)")
    }
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  @Test func `an export takes no place of a pipe or a link, and has a name`() throws {
    _ = try importing()
    let (pipe, link, other) = (folder.path("pipe"), folder.path("link"), try folder.file("other", [1]))
    #expect(mkfifo(pipe, 0o600) == 0 && symlink(other, link) == 0)
    for (name, reason) in [(pipe, "is not a regular file"), (link, "is a symbolic link"), ("", "is empty")] {
      let result = try Command.hrgate("export", "--format", "csv", "-o", name, "--store", store)
      #expect(result.status == 1 && result.errors.contains(reason), "\(name): \(result.errors)")
    }
    var status = stat()
    #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `csv and ndjson are what samples prints`() throws {
    _ = try importing()
    let csv = try Command.hrgate(
      "export", "--format", "csv", "-o", "-", "--type", "heartRate", "--store", store)
    #expect(
      csv.output == (try Command.hrgate("samples", "--csv", "--type", "heartRate", "--store", store).output))
    let lines = try Command.hrgate("export", "--format", "ndjson", "-o", "-", "--store", store)
    #expect(lines.output == (try Command.hrgate("samples", "--json", "--store", store).output))
  }

  @Test func `an export in Apple's format is imported as the same samples`() throws {
    _ = try importing()
    let path = folder.path("again.xml")
    _ = try Command.hrgate("export", "--format", "apple-health-xml", "-o", path, "--store", store)
    let other = folder.path("other.sqlite")
    let result = try Command.hrgate("import", path, "--store", other)
    #expect(result.status == 0 && result.output.contains("3 stored"))
    #expect(
      try Command.hrgate("samples", "--json", "--store", other).output
        == Command.hrgate("samples", "--json", "--store", store).output)
  }

  // MARK: - delete

  @Test func `a deletion asks, and only a yes deletes`() throws {
    _ = try importing()
    let no = try Command.hrgate("delete", "--type", "heartRate", "--store", store, typing: "n\n")
    #expect(
      no.status == 1 && no.output.contains("2 × heartRate") && no.errors.contains("nothing was deleted"))
    #expect(try Command.hrgate("delete", "--type", "heartRate", "--store", store, typing: "").status == 1)
    let yes = try Command.hrgate("delete", "--type", "heartRate", "--store", store, typing: "yes\n")
    #expect(yes.status == 0 && yes.output.contains("deleted: 2 samples"))
    #expect(try Samples(store: store).heartRates.isEmpty && Samples(store: store).objects.count == 1)
    #expect(try Command.hrgate("store", "check", "--store", store).output.contains("2 deletions"))
  }

  @Test func `time and source select the samples to delete`() throws {
    _ = try importing()
    let late = try Command.hrgate("delete", "--from", "2026-01-01T07:01:00Z", "--yes", "--store", store)
    #expect(late.output.contains("deleted: 1 sample"))
    let watch = try Command.hrgate("delete", "--source", "Watch", "--yes", "--store", store)
    #expect(watch.output.contains("deleted: 1 sample"))
    #expect(try Command.hrgate("delete", "--store", store).status == 2)
    #expect(try Command.hrgate("delete", "--everything", "--type", "heartRate", "--store", store).status == 2)
    #expect(
      try Command.hrgate("delete", "--everything", "--yes", "--store", store).output.contains("1 sample"))
  }

  // MARK: - store

  @Test func `a store that a program has open is not replaced`() throws {
    _ = try importing()
    let backup = folder.path("backup.sqlite")
    #expect(try Command.hrgate("store", "backup", backup, "--store", store).status == 0)
    let holder = Process()
    let python: URL = try #require(Command.path(of: "python3"))
    holder.executableURL = python
    holder.arguments = [
      "-c",
      "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT count(*) FROM sample').fetchall(); print('open', flush=True); sys.stdin.read()",
      store,
    ]
    let (input, output) = (Pipe(), Pipe())
    holder.standardInput = input
    holder.standardOutput = output
    try holder.run()
    #expect(try output.fileHandleForReading.read(upToCount: 4)?.count == 4)
    let refused = try Command.hrgate("store", "restore", backup, "--store", store)
    #expect(refused.status == 1 && refused.errors.contains("has \(store) open"))
    try input.fileHandleForWriting.close()
    holder.waitUntilExit()
    let restored = try Command.hrgate("store", "restore", backup, "--store", store)
    #expect(restored.status == 0 && restored.output.contains(".before-restore"))
    #expect(try Samples(store: store).objects.count == 3)
  }

  @Test func `a copy has a name, and is sudo's caller's`() throws {
    _ = try importing()
    for command in ["backup", "restore", "recover"] {
      let unnamed = try Command.hrgate("store", command, "", "--store", store)
      #expect(unnamed.status == 2 && unnamed.errors.contains("The file name is empty"))
    }
    let backup = folder.path("backup.sqlite")
    let result = try Command.hrgate(
      "store", ["backup", backup, "--store", store],
      environment: ["SUDO_UID": "65534", "SUDO_GID": "65534"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let owner = try FileManager.default.attributesOfItem(atPath: backup)[.ownerAccountID] as? UInt32
    #expect(owner == (geteuid() == 0 ? 65_534 : geteuid()))
  }

  @Test func `on a new machine a backup is restored, and no person's store is overwritten by a copy`() throws
  {
    _ = try importing()
    let backup = folder.path("backup.sqlite")
    _ = try Command.hrgate("store", "backup", backup, "--store", store)
    let home = ["XDG_DATA_HOME": folder.path("new/data")]
    let restored = try Command.hrgate("store", ["restore", backup], environment: home)
    #expect(restored.status == 0, "\(restored.errors)")
    let own = folder.path("new/data/hrgate/health.sqlite")
    #expect(try Samples(store: own).objects.count == 3)
    _ = try Command.hrgate("people", ["add", "anna"], environment: home)
    for name in [own, folder.path("new/data/hrgate/people/anna/health.sqlite")] {
      let refused = try Command.hrgate("store", ["backup", name, "--store", store], environment: home)
      #expect(refused.status == 1 && refused.errors.contains("\(name) is a store"), "\(refused.errors)")
    }
  }

  @Test func `a store of a newer version is refused by run for good`() throws {
    _ = try importing()
    _ = try Command.tool("sqlite3", [store, "INSERT INTO grdb_migrations VALUES ('9999')"])
    let run = try Command.hrgate("run", ["--store", store], environment: Command.withoutBus(folder))
    #expect(run.status == 65 && run.errors.contains("newer version"), "\(run.errors)")
  }

  @Test func `losses of a store are counted and set the exit status`() throws {
    _ = try importing()
    let saved = folder.path("saved.sqlite")
    #expect(try Command.hrgate("store", "recover", saved, "--store", store).status == 0)
    _ = try Command.tool(
      "sqlite3", [store, "PRAGMA foreign_keys = OFF; DELETE FROM unit WHERE symbol = 'count'"])
    let part = try Command.hrgate("store", "recover", folder.path("part.sqlite"), "--store", store)
    #expect(part.status == 1 && part.output.contains("recovered: 2 samples"), "\(part.output)")
    #expect(part.output.contains("left out: 1 row of sample"))
  }

  @Test func `for a damaged page the readable rows and unreadable ranges are reported`()
    async throws
  {
    let whole = 3600
    let samples = (0..<whole).map { second in
      let time = Date(timeIntervalSince1970: 1_767_261_600 + Double(second))
      return HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60), start: time, end: time)
    }
    try await SystemStore(at: store).healthStore.save(samples)
    var bytes = try Data(contentsOf: URL(filePath: store))
    // Find a b-tree leaf page with many rows, which is a page of the table `sample`.
    let pages = bytes.count / 4096
    let page = try #require(
      (pages / 3..<pages).first { bytes[$0 * 4096] == 0x0D && bytes[$0 * 4096 + 4] > 20 })
    bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xA5, count: 4096))
    try bytes.write(to: URL(filePath: store))
    let check = try Command.hrgate("store", "check", "--json", "--store", store)
    let tables = try #require(check.objects().first?["tables"] as? [[String: Any]])
    let damaged = try #require(tables.first { $0["whole"] as? Bool == false })
    #expect(damaged["table"] as? String == "sample" && tables.count { $0["whole"] as? Bool == false } == 1)
    let hole = try #require((damaged["unreadable"] as? [[String: Any]])?.first)
    let (first, next) = (try #require(hole["first"] as? Int), try #require(hole["next"] as? Int))
    #expect((damaged["rows"] as? Int ?? 0) + next - first == whole)
    let after = try #require(hole["after"] as? String)
    #expect("2026-01-01T10" < after && after < "2026-01-01T12")
    let before = (hole["before"] as? String).map { "after \($0), " } ?? ""
    let result = try Command.hrgate("store", "check", "--store", store)
    #expect(
      result.output.contains(
        "    unreadable: ids from \(first) to \(next - 1) (started \(before)before \(after))"),
      "\(result.output)")
  }

  @Test func `a damaged store is rejected by run, reported by check and saved by recover`() throws {
    _ = try importing()
    _ = try Command.hrgate("store", "vacuum", "--store", store)
    // Make the store look like one of an older version, which is migrated when it is opened.
    _ = try Command.tool(
      "sqlite3", [store, "DROP TABLE clock_setting; DELETE FROM grdb_migrations WHERE identifier = '7'"])
    var bytes = try Data(contentsOf: URL(filePath: store))
    // Damage the last page, which is a leaf page of some table.
    bytes.replaceSubrange(bytes.count - 4096..<bytes.count, with: Data(repeating: 0xA5, count: 4096))
    try bytes.write(to: URL(filePath: store))
    let run = try Command.hrgate(
      "run", ["--store", store], environment: Command.withoutBus(folder))
    // Exit status 65 tells systemd that a restart does not help.
    #expect(run.status == 65 && run.errors.contains("hrgate store check"))
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    // The file is unchanged.
    #expect(try Data(contentsOf: URL(filePath: store)) == bytes)
    let check = try Command.hrgate("store", "check", "--json", "--store", store)
    #expect(check.status == 1)
    let object = try #require(check.objects().first)
    #expect(object["sound"] as? Bool == false)
    let tables = try #require(object["tables"] as? [[String: Any]])
    #expect(tables.contains { $0["whole"] as? Bool == true && $0["table"] as? String == "sample" })
    let result = try Command.hrgate("store", "check", "--store", store)
    #expect(result.output.contains("sample (3 rows)") && result.output.contains("tables are empty"))
    let saved = folder.path("saved.sqlite")
    #expect(try Command.hrgate("store", "recover", saved, "--store", store).status == 0)
    #expect(try Command.hrgate("store", "check", "--store", saved).status == 0)
    #expect(try Command.hrgate("store", "recover", saved, "--store", store).errors.contains("already exists"))
  }
}
