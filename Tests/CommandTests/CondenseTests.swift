import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Testing

@testable import TestSupport

/// Tests `hrgate store condense`.
@Suite(.timeLimit(.minutes(30))) struct CondenseTests {
  private static let hour: Int64 = 3_600_000_000
  private static let origin: Int64 = 472_222 * hour
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
  }

  private var database: SampleDatabase { get throws { try SystemStore(at: path).database } }

  /// Saves a hundred samples per hour, with UUIDs like those of a gateway.
  private func fill(_ hours: Range<Int64>) async throws {
    var generator = SystemRandomNumberGenerator()
    let provenance = Provenance(
      revision: SourceRevisionRecord(
        source: SourceRecord(bundleIdentifier: "org.hrgate.monitor.F0:0D:BE:A7:01:01", name: "Strap"),
        version: nil, productType: nil, operatingSystem: "1.0.0"), device: nil)
    var records: [SampleRecord] = []
    for place in hours.lowerBound * 100..<hours.upperBound * 100 {
      let time = Self.origin + place / 100 * Self.hour + place % 100 * 30_000_123
      let high = UInt64(time / 1000) << 16 | 0x8000 | generator.next() & 0x0FFF
      let low: UInt64 = 1 << 63 | generator.next() & (1 << 62 - 1)
      let uuid = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
        UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
      }
      records.append(
        SampleRecord(
          uuid: uuid, type: "HKQuantityTypeIdentifierHeartRate", start: time, end: time,
          provenance: provenance, metadata: nil,
          content: .quantity(value: Double(50 + place % 100), unit: "count/min")))
    }
    try await database.save(records)
  }

  private func samples(in path: String? = nil) async throws -> [SampleRecord] {
    try await SystemStore(at: path ?? self.path).database.samples(
      .everything, order: [.insertion(ascending: true)])
  }

  private func count(of table: String) throws -> Int {
    let found = try Command.tool(
      "sqlite3", ["-cmd", ".timeout 60000", path, "SELECT count(*) FROM \(table)"]
    ).output
    return try #require(Int(found.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  private func condense(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(["store", "condense", "--store", path] + arguments)
  }

  private func check() throws {
    let checked = try Command.hrgate("store", "check", "--store", path, "--json")
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
  }

  @Test func `old samples are compacted once and read as before`() async throws {
    try await fill(0..<5)
    let before = try await samples()
    let identifiers = try Samples(store: path).identifiers
    let line = try #require(try condense("--json").objects().first)
    #expect(line["packed"] as? Int == 500 && line["hours"] as? Int == 5 && line["left"] as? Int == 0)
    #expect(line["stopped"] as? Bool == false && line["store"] as? String == path)
    #expect(try count(of: "sample") == 0)
    #expect(try await samples() == before)
    #expect(try Samples(store: path).identifiers == identifiers)
    try check()
    let again = try condense()
    #expect(again.status == 0 && again.output.contains("0 samples of 0 hours compressed"), "\(again.output)")
  }

  @Test func `a missing store is named and not created`() throws {
    let result = try condense()
    #expect(result.status == 1 && result.errors.contains("there is no store at \(path)"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `an hour that cannot be compacted is reported, and the others are compacted`() async throws {
    try await fill(0..<2)
    _ = try condense()
    try await fill(2..<4)
    // Adds samples to the first hour, so that it is compacted again.
    try await fill(0..<1)
    let damage = "UPDATE block SET samples = CAST(substr(samples, 1, 30) AS BLOB) WHERE id = 1"
    _ = try Command.tool("sqlite3", ["-cmd", ".timeout 60000", path, damage])
    let result = try condense()
    #expect(result.output.contains("200 samples of 2 hours compressed"), "\(result.output)\(result.errors)")
    #expect(result.output.contains("1 hour was not compressed"))
    #expect(result.output.contains("HKQuantityTypeIdentifierHeartRate of 2023-11-14T22:00:00Z"))
  }

  @Test func `killed at any time, it loses and duplicates nothing, and the next run does the rest`()
    async throws
  {
    let hours: Int64 = isLongRun ? 2000 : 60
    try await fill(0..<hours)
    let before = try await samples()
    var rest = [try count(of: "sample")]
    for round in 0..<(isLongRun ? 200 : 6) {
      let process = Process()
      process.executableURL = Command.hrgate
      process.arguments = ["store", "condense", "--store", path]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // Kills every other process only after it has compacted something, so that there is something to lose.
      if round % 2 == 0 {
        let last = rest[rest.count - 1]
        _ = try await eventually { try !process.isRunning || count(of: "sample") < last }
      } else {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400)))
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      rest.append(try count(of: "sample"))
      #expect(try await samples() == before, "round \(round)")
      if rest[rest.count - 1] == 0 { break }
    }
    #expect(zip(rest, rest.dropFirst()).allSatisfy { $0 >= $1 } && rest[0] > rest[rest.count - 1], "\(rest)")
    try check()
    #expect(try condense().status == 0)
    #expect(try count(of: "sample") == 0)
    #expect(try await samples() == before)
    try check()
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: needs the right to mount a tmpfs"))
  func `a full disk leaves each hour either unchanged or compacted, and the rest follows once there is room`()
    async throws
  {
    try await fill(0..<120)
    let before = try await samples()
    let disk = try SmallDisk(size: "16m")
    let store = disk.path + "/s.sqlite"
    _ = try Command.tool("sqlite3", ["-cmd", ".timeout 60000", path, ".backup \(store)"])
    // The write-ahead log has room for the pages of the first hours, but not for all.
    let spare = disk.path + "/spare"
    #expect(FileManager.default.createFile(atPath: spare, contents: Data(count: 400_000)))
    try disk.fill()
    try FileManager.default.removeItem(atPath: spare)
    let full = try Command.hrgate("store", "condense", "--store", store)
    #expect(full.status == 1)
    #expect(full.errors.contains("SQLITE_FULL") || full.errors.contains("SQLITE_IOERR"), "\(full.errors)")
    try disk.makeRoom()
    let rows = "SELECT count(*) FROM sample"
    #expect(try Command.tool("sqlite3", ["-cmd", ".timeout 60000", store, rows]).output != "0\n")
    #expect(try await samples(in: store) == before)
    #expect(try Command.hrgate("store", "condense", "--store", store).status == 0)
    #expect(try Command.tool("sqlite3", ["-cmd", ".timeout 60000", store, rows]).output == "0\n")
    #expect(try await samples(in: store) == before)
    #expect(try Command.hrgate("store", "check", "--store", store).status == 0)
  }

  @Test func `an interrupted run ends after the current hour and says so`() async throws {
    try await fill(0..<(isLongRun ? 2000 : 300))
    let (before, all) = (try await samples(), try count(of: "sample"))
    let output = folder.path("output")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["store", "condense", "--store", path, "--json"]
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    #expect(try await eventually { try count(of: "sample") < all })
    process.interrupt()
    process.waitUntilExit()
    let text = try String(contentsOfFile: output, encoding: .utf8)
    let line = try #require(
      try CommandResult(status: 0, output: text, errors: "").objects().first, "\(text)")
    let rest = try count(of: "sample")
    #expect(line["packed"] as? Int == all - rest)
    // A fast run may have finished before the interruption.
    #expect(line["stopped"] as? Bool == (rest > 0) && process.terminationStatus == (rest > 0 ? 1 : 0))
    #expect(try await samples() == before)
  }
}
