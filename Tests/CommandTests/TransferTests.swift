import Foundation
import Testing

@testable import TestSupport

/// `import`, `export`, `delete` and `store`, as they are typed.
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

  private func file() throws -> String {
    try folder.file("export.xml", Array(Self.export.utf8))
  }

  private func importing(_ arguments: String...) throws -> [String: Any] {
    let result = try Command.hrgate(["import", try file(), "--store", store, "--json"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try #require(result.objects().first)
  }

  @Test func `an import says what it stored and what it did not`() throws {
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

  @Test func `an export that is cut is told, with what was stored`() throws {
    let bytes = Array(Self.export.utf8)
    let cut = try folder.file("cut.xml", Array(bytes.prefix(bytes.count - 120)))
    let result = try Command.hrgate("import", cut, "--store", store)
    #expect(result.status == 1)
    #expect(result.errors.contains("ends too early") && result.output.contains("3 stored"))
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

  @Test func `csv and ndjson are what samples prints`() throws {
    _ = try importing()
    let csv = try Command.hrgate(
      "export", "--format", "csv", "-o", "-", "--type", "heartRate", "--store", store)
    #expect(
      csv.output == (try Command.hrgate("samples", "--csv", "--type", "heartRate", "--store", store).output))
    let lines = try Command.hrgate("export", "--format", "ndjson", "-o", "-", "--store", store)
    #expect(lines.output == (try Command.hrgate("samples", "--json", "--store", store).output))
  }

  @Test func `what is exported as Apple's is imported as the same samples`() throws {
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
    #expect(no.status == 1 && no.output.contains("2 × heartRate") && no.errors.contains("nothing is deleted"))
    #expect(try Command.hrgate("delete", "--type", "heartRate", "--store", store, typing: "").status == 1)
    let yes = try Command.hrgate("delete", "--type", "heartRate", "--store", store, typing: "yes\n")
    #expect(yes.status == 0 && yes.output.contains("deleted: 2 samples"))
    #expect(try Samples(store: store).heartRates.isEmpty && Samples(store: store).objects.count == 1)
    #expect(try Command.hrgate("store", "check", "--store", store).output.contains("2 deletions"))
  }

  @Test func `time and source choose what is deleted`() throws {
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
    holder.executableURL = try #require(Command.path(of: "python3"))
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

  @Test func `a damaged store is refused by run, told by check and saved by recover`() throws {
    _ = try importing()
    _ = try Command.hrgate("store", "vacuum", "--store", store)
    // Of an older version, whose schema is brought up to date when it is opened.
    _ = try Command.tool(
      "sqlite3", [store, "DROP TABLE clock_setting; DELETE FROM grdb_migrations WHERE identifier = '7'"])
    var bytes = try Data(contentsOf: URL(filePath: store))
    // The last page is a leaf of some table.
    bytes.replaceSubrange(bytes.count - 4096..<bytes.count, with: Data(repeating: 0xA5, count: 4096))
    try bytes.write(to: URL(filePath: store))
    let run = try Command.hrgate(
      "run", ["--store", store], environment: Command.withoutBus(folder))
    #expect(run.status == 1 && run.errors.contains("hrgate store check"))
    // It is left as it was.
    #expect(try Data(contentsOf: URL(filePath: store)) == bytes)
    let check = try Command.hrgate("store", "check", "--json", "--store", store)
    #expect(check.status == 1)
    #expect(try check.objects().first?["sound"] as? Bool == false)
    let saved = folder.path("saved.sqlite")
    #expect(try Command.hrgate("store", "recover", saved, "--store", store).status == 0)
    #expect(try Command.hrgate("store", "check", "--store", saved).status == 0)
    #expect(try Command.hrgate("store", "recover", saved, "--store", store).errors.contains("there already"))
  }
}
