import Foundation
import Testing

@testable import TestSupport

/// Tests `hrgate replay` on simulated sessions, which need no recorded files.
@Suite struct ReplayTests {
  private let folder: TemporaryFolder
  private let log: String

  init() throws {
    folder = try TemporaryFolder()
    log = folder.path("log.btsnoop")
    _ = try Command.hrgate("simulate", "--straps", "3", "--duration", "10m", "--seed", "5", "-o", log)
  }

  private func total(_ counts: Any?) -> Int { (counts as? [String: Int] ?? [:]).values.reduce(0, +) }

  @Test func `measurements in are stored, duplicate or rejected`() throws {
    for round in 0..<2 {
      let outcome = try #require(
        Command.hrgate("replay", log, "--store", folder.path("s.sqlite"), "--json").objects().first)
      let stored = (outcome["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] ?? 0
      let duplicates = try #require(outcome["duplicates"] as? Int)
      let measurements = try #require(outcome["measurements"] as? Int)
      #expect(measurements > 1500)
      #expect(measurements == stored + duplicates + total(outcome["rejected"]))
      #expect(round == 0 ? duplicates == 0 : stored == 0)
      #expect((outcome["monitors"] as? [[String: Any]])?.count == 3)
    }
  }

  @Test func `a dry run counts the same and stores nothing`() throws {
    let dry = try #require(
      Command.hrgate("replay", log, "--dry-run", "--store", folder.path("d.sqlite"), "--json").objects().first
    )
    let real = try #require(
      Command.hrgate("replay", log, "--store", folder.path("s.sqlite"), "--json").objects().first)
    #expect(dry["stored"] as? [String: Int] == real["stored"] as? [String: Int])
    #expect(!FileManager.default.fileExists(atPath: folder.path("d.sqlite")))
  }

  @Test func `a log that grew replaces the open end of its beats and adds the rest`() throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: log)))
    let half = try folder.file("half.btsnoop", Array(bytes.prefix(bytes.count / 2)))
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate("replay", half, "--store", store)
    _ = try Command.hrgate("replay", log, "--store", store)
    let grown = try Samples(store: store)
    let whole = try Samples(replaying: [log])
    #expect(Set(grown.identifiers) == Set(whole.identifiers))
    _ = try Command.hrgate("replay", half, "--store", store)
    #expect(Set(try Samples(store: store).identifiers) == Set(whole.identifiers))
  }

  @Test func `a killed process has committed everything older than a few seconds`() async throws {
    let store = folder.path("s.sqlite")
    // The whole log takes minutes at this pace, so the process is still running when the first samples are
    // stored.
    let process = try start("--pace", "4x", "--store", store)
    #expect(try await eventually { try heartRates(in: store) > 50 })
    #expect(process.isRunning, "it commits before the log ends")
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(try heartRates(in: store) > 50)
  }

  @Test func `an interruption ends a long wait and commits the measurements read so far`() async throws {
    // At a thousandth of the speed the second value is due hours later.
    let process = try start("--pace", "0.001x", "--store", folder.path("s.sqlite"), "--json")
    #expect(try await eventually { try listensForInterruption(process) && isReading(process) })
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 1)
    #expect(try String(contentsOfFile: output, encoding: .utf8).contains("\"stopped\":true"))
    #expect(try String(contentsOfFile: errors, encoding: .utf8).contains("stopped"))
  }

  @Test func `an interruption commits the measurements read so far and reports it`() async throws {
    let store = folder.path("s.sqlite")
    // The whole log takes minutes at this pace, so the process is still running when the first samples are
    // stored.
    let process = try start("--pace", "4x", "--store", store, "--json")
    #expect(try await eventually { try heartRates(in: store) > 0 })
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 1)
    #expect(try String(contentsOfFile: errors, encoding: .utf8).contains("stopped"))
    let outcome = try #require(
      CommandResult(status: 1, output: try String(contentsOfFile: output, encoding: .utf8), errors: "")
        .objects().first)
    let stored = (outcome["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] ?? 0
    #expect(stored > 0)
    #expect(outcome["measurements"] as? Int == stored + total(outcome["rejected"]))
    #expect(try heartRates(in: store) == stored)
  }

  private var output: String { folder.path("output") }
  private var errors: String { folder.path("errors") }

  /// Starts a replay of the log and returns its process.
  private func start(_ arguments: String...) throws -> Process {
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["replay", log] + arguments
    for path in [output, errors] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    return process
  }

  /// Returns the number of stored heart rates; 0 if there is no store yet.
  private func heartRates(in store: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: store) else { return 0 }
    return try Samples(store: store).heartRates.count
  }

  /// Whether the process catches SIGINT, according to the kernel.
  private func listensForInterruption(_ process: Process) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
      let caught = UInt64(line.drop { !$0.isWhitespace }.drop { $0.isWhitespace }, radix: 16)
    else { return false }
    return caught & 1 << UInt64(SIGINT - 1) != 0
  }

  /// Whether the process has the log and the store open.
  private func isReading(_ process: Process) throws -> Bool {
    let folder = "/proc/\(process.processIdentifier)/fd"
    let open = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return open.contains { $0.hasSuffix(".btsnoop") } && open.contains { $0.hasSuffix(".sqlite-wal") }
  }

  @Test func `a full disk loses nothing without saying so`() throws {
    let store = folder.path("s.sqlite")
    // A limit on the size of files, which the kernel enforces as a full disk would: in 1 KiB blocks, without
    // the signal.
    let script =
      "trap '' XFSZ; ulimit -f 400; exec '\(Command.hrgate.path)' replay '\(log)' --store '\(store)' --json"
    let result = try Command.tool("bash", ["-c", script])
    #expect(result.status == 1)
    #expect(result.errors.contains("SQLITE_"))
    let outcome = try #require(result.objects().first)
    let stored = (outcome["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] ?? 0
    let rejected = try #require(outcome["rejected"] as? [String: Int])
    #expect(rejected["storeFailed"] ?? 0 > 0)
    #expect(outcome["measurements"] as? Int == stored + total(outcome["rejected"]))
    // With free space again, the rejected measurements are stored.
    let again = try #require(Command.hrgate("replay", log, "--store", store, "--json").objects().first)
    #expect(again["duplicates"] as? Int == stored)
    #expect(
      (again["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] ?? 0 >= rejected[
        "storeFailed"] ?? 0)
  }

  @Test func `statistics agree with the samples`() throws {
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate("replay", log, "--store", store)
    let values = try Samples(store: store).heartRateValues
    let whole = try #require(Command.hrgate("stats", "--store", store, "--json").objects().first)
    #expect(whole["count"] as? Int == values.count)
    #expect(whole["min"] as? Double == values.min())
    #expect(whole["max"] as? Double == values.max())
    let minutes = try Command.hrgate("stats", "--store", store, "--every", "1m", "--json").objects()
    #expect(minutes.compactMap { $0["count"] as? Int }.reduce(0, +) == values.count)
    #expect(try Command.hrgate("stats", "--store", store).output.contains("●"))
  }

  @Test func `samples can be chosen by type, time, source and number`() throws {
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate("replay", log, "--store", store)
    let all = try Samples(store: store)
    let middle = try #require(all.startTimes[safe: 300])
    let later = try Command.hrgate(
      "samples", "--store", store, "--type", "heartRate", "--from", middle, "--json"
    ).objects()
    #expect(later.count == all.startTimes.count { $0 >= middle })
    let earlier = try Command.hrgate(
      "samples", "--store", store, "--type", "heartRate", "--to", middle, "--json"
    ).objects()
    #expect(earlier.count + later.count == all.startTimes.count)
    #expect(try Command.hrgate("samples", "--store", store, "--limit", "7", "--json").lines.count == 7)
    let sources = try Command.hrgate("sources", "--store", store, "--json").objects()
    #expect(sources.count == 3)
    let counts = try sources.map { source in
      let identifier = try #require(source["bundleIdentifier"] as? String)
      return try Command.hrgate("samples", "--store", store, "--source", identifier, "--json").lines.count
    }
    #expect(counts.reduce(0, +) == all.objects.count)
    let csv = try Command.hrgate("samples", "--store", store, "--csv").lines
    #expect(csv.count == all.objects.count + 1)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
