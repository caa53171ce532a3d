import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests `hrgate sync` on the command line with files as the destination.
@Suite(.timeLimit(.minutes(30))) struct SyncCommandTests {
  private let folder: TemporaryFolder
  private let path: String
  private let store: HKHealthStore
  private let archive: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    archive = folder.path("archive")
    try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
    store = try HKHealthStore(storeAt: path)
  }

  private static let unit = HKUnit(from: "count/min")
  /// The value of the saved samples. It occurs in no other number, so that tests can search the output for
  /// it.
  private static let value = 73.625

  @discardableResult
  private func save(_ count: Int = 3) async throws -> [HKQuantitySample] {
    let samples = (0..<count).map { second in
      let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(second))
      return HKQuantitySample(
        type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: Self.unit, doubleValue: Self.value),
        start: time, end: time)
    }
    try await store.save(samples)
    return samples
  }

  private func sync(_ arguments: String...) throws -> CommandResult {
    try Command.hrgate(["sync"] + arguments + ["--store", path])
  }

  private func addArchive(_ name: String = "files", _ more: String...) throws -> CommandResult {
    try Command.hrgate(
      ["sync", "add", name, "file://\(archive)?format=ndjson", "--store", path] + more)
  }

  private func status(_ name: String = "files") throws -> [String: Any] {
    let objects = try sync("status", "--json").objects()
    return try #require(objects.first { $0["name"] as? String == name })
  }

  /// Returns the contents of all files of the destination.
  private func arrived() throws -> String {
    let files = FileManager.default.enumerator(atPath: archive)?.compactMap { $0 as? String } ?? []
    return files.sorted().map { "\(archive)/\($0)" }.filter { file in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && !isFolder.boolValue
    }.map { String(decoding: FileManager.default.contents(atPath: $0) ?? Data(), as: UTF8.self) }.joined()
  }

  @Test func `samples are sent once, and then deletions`() async throws {
    let samples = try await save()
    let added = try addArchive()
    #expect(added.status == 0)
    #expect(added.output.contains("3 samples and deletions to send"))
    let first = try sync("run", "--once")
    #expect(first.status == 0)
    #expect(first.output.hasPrefix("files: 3 samples sent"))
    #expect(first.errors == "")
    for sample in samples { #expect(try arrived().contains(sample.uuid.uuidString)) }
    try await store.delete([samples[1]])
    #expect(try status()["pending"] as? Int == 1)
    #expect(try sync("run", "files", "--once").output.hasPrefix("files: 0 samples and 1 deletion sent"))
    #expect(try sync("run", "--once").output == "files: up to date\n")
    let status = try status()
    #expect(
      Set(status.keys) == [
        "name", "kind", "state", "sent", "deleted", "setAside", "pending", "lastSuccess", "lastError",
      ])
    #expect(status["kind"] as? String == "file")
    #expect(status["state"] as? String == "current")
    #expect(["sent", "deleted", "setAside", "pending"].map { status[$0] as? Int } == [3, 1, 0, 0])
    #expect(status["lastError"] is NSNull)
    #expect(Timestamp.parse(status["lastSuccess"] as? String ?? "") != nil)
  }

  @Test func `only the selected samples are sent`() async throws {
    try await save()
    let step = HKQuantitySample(
      type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 5),
      start: Date(timeIntervalSince1970: 1_800_000_000), end: Date(timeIntervalSince1970: 1_800_000_001))
    try await store.save(step)
    #expect(
      try addArchive("files", "--type", "heartRate", "--from", "2027-01-15T08:00:01Z", "--as", "Ada")
        .status == 0)
    let listed = try #require(try sync("list", "--json").objects().first)
    #expect(listed["types"] as? [String] == ["heartRate"])
    #expect(listed["from"] as? String == "2027-01-15T08:00:01.000000Z")
    #expect(listed["person"] as? String == "Ada")
    #expect(listed["sources"] == nil)
    #expect(try sync("list").output.contains("Ada"))
    #expect(try sync("run", "--once").output.hasPrefix("files: 2 samples sent"))
    #expect(try !arrived().contains(step.uuid.uuidString))
  }

  @Test func `a destination that is reset gets everything once more, and one that is removed nothing`()
    async throws
  {
    try await save()
    #expect(try addArchive().status == 0)
    #expect(try addArchive().status == 1)
    #expect(try sync("run", "--once").status == 0)
    #expect(try sync("reset", "files").status == 0)
    #expect(try status()["pending"] as? Int == 3)
    #expect(try sync("reset", "files", "--set-aside").status == 0)
    #expect(try sync("remove", "files").status == 0)
    #expect(try sync("status", "--json").output == "")
    for arguments in [["remove", "files"], ["reset", "files"], ["run", "files", "--once"]] {
      let result = try Command.hrgate(["sync"] + arguments + ["--store", path])
      #expect(result.status == 1)
      #expect(!result.errors.isEmpty && result.output == "")
    }
  }

  @Test(arguments: [
    ["a b", "file:///tmp?format=ndjson"], ["", "file:///tmp?format=ndjson"], ["lab"],
    ["lab", "file:///tmp?format=ndjson", "--type", "nonsense"],
    ["lab", "file:///tmp?format=ndjson", "--from", "yesterday"],
    ["lab", "file:///tmp?format=ndjson", "--as", ""],
  ])
  func `what cannot be meant is wrong usage`(arguments: [String]) throws {
    let result = try Command.hrgate(["sync", "add"] + arguments + ["--store", path])
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("hrgate: "))
    #expect(try sync("status", "--json").output == "")
  }

  @Test(arguments: [
    "ftp://example.org/", "lab", "postgresql://ada:geheim7@127.0.0.1:1/health",
    "mqtts://ada:geheim7@127.0.0.1/", "fhir+https://ada:geheim7@127.0.0.1/r4",
    "fhir+http://example.org/r4", "mqtt://example.org/",
  ])
  func `an address that is wrong is refused in a sentence, and a password in it is not said again`(
    url: String
  ) throws {
    for more in [[], ["--no-check"]] {
      let result = try Command.hrgate(["sync", "add", "lab", url, "--store", path] + more)
      #expect(result.status == 1)
      #expect(result.errors.hasPrefix("hrgate: lab was not added: "))
      #expect(!result.errors.contains("geheim7"))
      #expect(try sync("list", "--json").output == "")
    }
  }

  @Test func `a server that is not there is not added, unless it is not to be tried`() async throws {
    try await save()
    let url = "postgresql://ada@127.0.0.1:1/health"
    let refused = try sync("add", "lab", url)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("lab was not added"))
    #expect(try sync("status", "--json").output == "")
    #expect(try sync("add", "lab", url, "--no-check").status == 0)
    #expect(try addArchive().status == 0)
    let run = try sync("run", "--once")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("files: 3 samples sent"))
    #expect(run.errors.hasPrefix("hrgate: lab: "))
    let status = try status("lab")
    #expect(["failing", "blocked"].contains(status["state"] as? String))
    #expect((status["lastError"] as? String)?.isEmpty == false)
    #expect(status["pending"] as? Int == 3)
    let words = try sync("status").output.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains(status["lastError"] as? String ?? "-"))
  }

  @Test func `a secret that others can read is refused, with what to do`() throws {
    let file = try folder.file("secret", Array("geheim7\n".utf8))
    for (mode, sentence) in [(0o644, "chmod 600"), (0o640, "chmod 600"), (0o604, "chmod 600")] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      let result = try sync("add", "lab", "postgresql://127.0.0.1:1/x", "--secret-file", file, "--no-check")
      #expect(result.status == 1)
      #expect(result.errors.contains(sentence))
      #expect(!result.errors.contains("geheim7"))
    }
    let absent = try sync(
      "add", "lab", "postgresql://127.0.0.1:1/x", "--secret-file", file + "s", "--no-check")
    #expect(absent.status == 1 && absent.errors.contains("cannot be read"))
    let empty = try folder.file("empty", [10])
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: empty)
    #expect(
      try sync("add", "lab", "postgresql://127.0.0.1:1/x", "--secret-file", empty, "--no-check").errors
        .contains("contains no secret"))
  }

  @Test func `no secret and no value is in what any command says`() async throws {
    try await save()
    let file = try folder.file("secret", Array("geheim7\n".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    var said = ""
    for (name, url) in [
      ("lab", "postgresql://ada@127.0.0.1:1/health"), ("home", "mqtt://ada@127.0.0.1:1/x"),
      ("ward", "fhir+http://127.0.0.1:1/r4"),
    ] {
      let result = try sync("add", name, url, "--secret-file", file, "--no-check")
      #expect(result.status == 0)
      said += result.output + result.errors
    }
    for arguments in [["run", "--once"], ["status"], ["status", "--json"], ["list"], ["list", "--json"]] {
      let result = try Command.hrgate(["sync"] + arguments + ["--store", path])
      said += result.output + result.errors
    }
    #expect(!said.contains("geheim7"))
    #expect(!said.contains("73.6"))
    // The secret must not be in the store's files either.
    for end in ["", "-wal"] {
      let kept = FileManager.default.contents(atPath: path + end) ?? Data()
      #expect(kept.range(of: Data("geheim7".utf8)) == nil)
    }
  }

  @Test func `two names with the same secret variable are rejected`() throws {
    #expect(try addArchive("a-b").status == 0)
    let result = try addArchive("a_b")
    #expect(result.status == 1)
    #expect(result.errors.contains("HRGATE_SYNC_SECRET_A_B"))
  }

  @Test func `a source that the store does not know is a mistake in its name`() async throws {
    try await save()
    #expect(try addArchive("files", "--source", "Unknown").status == 1)
    #expect(try addArchive("files", "--source", "org.example.later").status == 0)
    #expect(try status()["pending"] as? Int == 0)
  }

  @Test func `the store is in the home folder that the shell has, where nothing else is said`() throws {
    let result = try Command.hrgate(
      "sync", ["add", "files", "file://\(archive)?format=ndjson"],
      environment: ["HOME": folder.url.path, "XDG_DATA_HOME": ""])
    #expect(result.status == 0, "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: folder.path(".local/share/hrgate/health.sqlite")))
  }

  @Test func `without a destination there is nothing to run, and that is said`() throws {
    let run = try sync("run", "--once")
    #expect(run.status == 1)
    #expect(run.errors.contains("hrgate sync add"))
    let status = try sync("status")
    #expect(status.status == 0 && status.output == "" && status.errors.contains("hrgate sync add"))
  }

  @Test func `sync run continues until interrupted and picks up new samples and destinations`()
    async throws
  {
    let samples = try await save()
    #expect(try addArchive("first").status == 0)
    let output = folder.path("lines")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["sync", "run", "--json", "--store", path]
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    #expect(try await eventually { try arrived().contains(samples[2].uuid.uuidString) })
    let later = try await save(1)
    #expect(try await eventually { try arrived().contains(later[0].uuid.uuidString) })
    let other = folder.path("other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    #expect(try sync("add", "second", "file://\(other)?format=ndjson").status == 0)
    #expect(try await eventually { try status("second")["sent"] as? Int == 4 })
    // `sync run --once` asks the process that is already syncing, instead of syncing itself.
    let once = try sync("run", "first", "--once")
    #expect(once.status == 0)
    #expect(once.output.contains("sent by process \(process.processIdentifier)"))
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
    let events = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    for name in ["first", "second"] {
      let states = events.filter { $0["destination"] as? String == name }.compactMap {
        $0["state"] as? String
      }
      #expect(states.contains("current") && states.last == "stopped")
    }
  }

  @Test(.enabled(if: FHIRServer.isAvailable, "skipped: python3 is missing"))
  func `a run beside another process makes it retry set-aside records, even if nothing else is pending`()
    async throws
  {
    let server = try FHIRServer()
    let samples = try await save(2)
    let refused = samples[0].uuid.uuidString
    try server.set(["refuse": ["urn:uuid:" + refused.lowercased()]])
    #expect(try sync("add", "ward", server.url()).status == 0)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["sync", "run", "--store", path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    #expect(
      try await eventually {
        let status = try status("ward")
        return status["setAside"] as? Int == 1 && status["pending"] as? Int == 0
      })
    // The run has waited for another attempt, in which the destination still refused the record.
    let vain = try sync("run", "ward", "--once")
    #expect(vain.status == 1 && vain.errors.contains("1 record is in the dead-letter list"), "\(vain.errors)")
    #expect(try server.uuids() == [samples[1].uuid.uuidString])
    try server.set(["refuse": [String]()])
    let once = try sync("run", "ward", "--once")
    #expect(once.status == 0, "\(once.errors)")
    #expect(once.output.contains("sent by process \(process.processIdentifier)"))
    #expect(try server.uuids() == samples.map(\.uuid.uuidString).sorted())
    #expect(try status("ward")["setAside"] as? Int == 0)
  }

  @Test func `a run that waits for another takes over when that is killed`() async throws {
    try await save(1)
    #expect(try addArchive().status == 0)
    func start(_ arguments: String...) throws -> Process {
      let process = Process()
      process.executableURL = Command.hrgate
      process.arguments = ["sync", "run", "--store", path] + arguments
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }
    let other = try start()
    defer { if other.isRunning { kill(other.processIdentifier, SIGKILL) } }
    #expect(try await eventually { try status()["state"] as? String == "current" })
    // The stopped process still holds the lock of the destination and does nothing.
    kill(other.processIdentifier, SIGSTOP)
    let samples = try await save(1)
    let once = try start("--once")
    defer { if once.isRunning { kill(once.processIdentifier, SIGKILL) } }
    // Wait until the second run has opened the destination's lock file, which the first process has locked.
    #expect(
      await eventually {
        let files = "/proc/\(once.processIdentifier)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
        return names.contains {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")) == path
        }
      })
    #expect(once.isRunning)
    kill(other.processIdentifier, SIGKILL)
    other.waitUntilExit()
    #expect(await eventually { !once.isRunning })
    #expect(!once.isRunning && once.terminationStatus == 0)
    #expect(try arrived().contains(samples[0].uuid.uuidString))
  }

  @Test func `a gateway also syncs, to destinations added before and during the run`()
    async throws
  {
    let samples = try await save()
    #expect(try addArchive().status == 0)
    #expect(try sync("add", "lab", "postgresql://ada@127.0.0.1:1/health", "--no-check").status == 0)
    let output = folder.path("lines")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["run", "--wait", "--json", "--store", path]
    process.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    #expect(try await eventually { try arrived().contains(samples[2].uuid.uuidString) })
    func events() throws -> [[String: Any]] {
      let text = try String(contentsOfFile: output, encoding: .utf8)
      let whole = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
      return whole.split(separator: "\n").compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
    }
    func state(_ name: String) throws -> String? {
      try events().last { $0["event"] as? String == "sync" && $0["destination"] as? String == name }?["state"]
        as? String
    }
    #expect(try await eventually { try state("files") == "current" })
    #expect(try await eventually { ["failing", "blocked"].contains(try state("lab")) })
    let other = folder.path("other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    #expect(try sync("add", "later", "file://\(other)?format=ndjson").status == 0)
    #expect(try await eventually { try state("later") == "current" })
    #expect(try sync("remove", "lab").status == 0)
    #expect(try await eventually { try state("lab") == "stopped" })
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try events().last?["event"] as? String == "end")
  }

  @Test func `a gateway with --no-sync sends nothing`() async throws {
    let samples = try await save()
    #expect(try addArchive().status == 0)
    let output = folder.path("lines")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["run", "--wait", "--json", "--no-sync", "--store", path]
    process.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
    #expect(try await eventually { try String(contentsOfFile: output, encoding: .utf8).contains("start") })
    process.terminate()
    process.waitUntilExit()
    #expect(try status()["state"] as? String == "waiting")
    #expect(try status()["pending"] as? Int == 3)
    let text = try arrived()
    #expect(!samples.contains { text.contains($0.uuid.uuidString) })
  }
}
