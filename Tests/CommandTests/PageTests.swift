import Foundation
import Glibc
import HealthDataSync
import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Tests `hrgate page` from its first output to Ctrl-C.
@Suite(.timeLimit(.minutes(30))) struct PageTests {
  private let folder: TemporaryFolder
  private let store: String
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    var environment = Command.withoutBus(folder)
    environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(folder.path("none"))"
    let runtime = folder.path("run")
    try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: false)
    environment["XDG_RUNTIME_DIR"] = runtime
    // `page sessions` also lists the pages below the user's data directory.
    environment["XDG_DATA_HOME"] = folder.path("data")
    self.environment = environment
  }

  @Test(arguments: 1...(isLongRun ? 20 : 1) as ClosedRange<UInt64>)
  func `every figure on the page equals the one on the command line`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let log = folder.path("log.btsnoop")
    let duration = Int.random(in: 400...1500, using: &generator)
    _ = try Command.hrgate(
      "simulate", "--duration", "\(duration)s", "--straps", "2", "--seed", "\(seed)", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
    let page = try await RunningPage(store, environment, folder)
    func fetch(_ route: String) async throws -> [String: Any] {
      try await page.client.get("/api/" + route).object()
    }
    func printed(_ arguments: String...) throws -> [[String: Any]] {
      try Command.hrgate(arguments + ["--json", "--store", store]).objects()
    }
    for type in ["heartRate", "activeEnergyBurned"] {
      let whole = try #require(try printed("stats", "--type", type).first)
      try PageFigures.expectEqual(try await fetch("statistics?type=\(type)"), whole, type)
      for every in ["1m", "7m", "1h"] {
        let lines = try printed("stats", "--type", type, "--every", every).filter { $0["count"] as? Int != 0 }
        let intervals =
          try await fetch("statistics?type=\(type)&every=\(every)")["intervals"] as? [[String: Any]]
        #expect(intervals?.count == lines.count && !lines.isEmpty, "\(type) \(every)")
        for (interval, line) in zip(intervals ?? [], lines) {
          try PageFigures.expectEqual(interval, line, "\(type) \(every)")
        }
      }
    }
    let whole = try #require(try printed("stats").first)
    func time(_ text: Any?) throws -> Date { try #require(Timestamp.parse(text as? String ?? "")) }
    let start = try time(whole["start"]).timeIntervalSince1970
    let from = Timestamp.text(Date(timeIntervalSince1970: (start / 300).rounded(.down) * 300))
    let to = try time(whole["end"]) + 600
    let windows = try await fetch("variability?from=\(from)&to=\(Timestamp.text(to))&window=5m")["windows"]
    let lines = try printed("hrv").filter { try time($0["end"]) <= to }
    let figures = windows as? [[String: Any]] ?? []
    #expect(figures.count == lines.count && !lines.isEmpty)
    for (window, line) in zip(figures, lines) { try PageFigures.expectEqual(window, line, "hrv") }
    let zones = try await fetch("zones?maximum=190")["sources"] as? [[String: Any]] ?? []
    let zoneLines = try printed("zones", "--maximum", "190")
    #expect(zones.count == zoneLines.count && !zones.isEmpty)
    for (zone, line) in zip(zones, zoneLines) {
      try PageFigures.expectEqual(zone, line, "zones")
      #expect((zone["zones"] as? [Any])?.count == 6)
    }
    #expect(page.interrupt() == 0)
  }

  @Test func `sessions are listed and ended, and Ctrl-C leaves no file behind`() async throws {
    _ = try Command.hrgate("goals", "set", "activeEnergyBurned", "500", "--store", store)
    let page = try await RunningPage(store, environment, folder)
    #expect(try await page.client.get("/api/session").status == 200)
    func sessions(_ arguments: String...) throws -> CommandResult {
      try Command.hrgate("page", ["sessions"] + arguments, environment: environment)
    }
    let listed = try sessions("list", "--json").objects()
    #expect(listed.count == 1 && listed.first?["port"] as? Int == page.client.port)
    let id = try #require(listed.first?["id"] as? String)
    #expect(try sessions("end", "nothing").status == 1)
    #expect(try sessions("end").status == 2)
    #expect(try sessions("end", id).output == "ended: 1 session\n")
    #expect(try await page.client.get("/api/session").status == 401)
    #expect(page.interrupt() == 0)
    #expect(try sessions().errors.contains("no browser is signed in"))
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("run/hrgate"))
    #expect(left == [])
  }

  /// Returns the memory that the process has written to and does not share, in kB. Unwritten private pages
  /// are not counted, because their number depends on which other programs map the same files.
  private static func memory(of process: Int32) throws -> Int {
    try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
      .matches(of: #/Private_Dirty: *(\d+) kB/#).compactMap { Int($0.output.1) }.reduce(0, +)
  }

  @Test func `a file read slowly takes no memory in the server, and is complete at the end`() async throws {
    let wordy = HKSource(name: String(repeating: "x", count: 6000), bundleIdentifier: "org.example.wordy")
    let (count, start) = (10_000, Date(timeIntervalSince1970: 1_700_000_000))
    let rate = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 61)
    let samples = (0..<count).map { (number: Int) -> HKQuantitySample in
      let time = start.addingTimeInterval(Double(number) * 10)
      return HKQuantitySample(type: HKQuantityType(.heartRate), quantity: rate, start: time, end: time)
    }
    try await SystemStore(at: store).healthStore.acting(as: wordy).save(samples)
    let page = try await RunningPage(store, environment, folder)
    let (client, process) = (page.client, page.process.processIdentifier)
    let before = try Self.memory(of: process)
    let reader = try LoopbackConnection(port: client.port, room: 262_144)
    let host = "Host: 127.0.0.1:\(client.port)\r\nCookie: \(client.cookie ?? "")\r\nConnection: close\r\n"
    try reader.send(Data("GET /api/export.csv?type=heartRate HTTP/1.1\r\n\(host)\r\n".utf8))
    var first = Data()
    // A server that does not wait for the reader grows until it holds the whole file. The reader reads a
    // little each time, because the server disconnects a reader that reads nothing for a minute, which can
    // happen on a busy machine.
    var (most, looks) = (0, 0)
    while looks < 20 {
      first += try await onOwnThread { try reader.receive() }
      let held = try Self.memory(of: process) - before
      (most, looks) = (max(most, held), held > most ? 0 : looks + 1)
      try await Task.sleep(for: .milliseconds(100))
    }
    // The file has 61 MB. The server writes it in pieces of 2 MB, one for each hour of samples.
    #expect(most < 30_000, "\(most) kB")
    let whole = try await onOwnThread { [first] in try first + reader.receiveAll() }
    let answer = PageClient.Answer(whole)
    #expect(answer.body.count > 60_000_000 && answer.body.count(where: { $0 == 10 }) == count + 1)
    #expect(page.interrupt() == 0)
  }

  /// Beyond loopback, the page would need TLS and a password.
  @Test(arguments: ["0.0.0.0", "::", "192.168.1.2", "127.0.0.1"])
  func `the page is served only on this machine, and the error explains how to reach it from another one`(
    host: String
  ) throws {
    // The store does not exist, so nothing is served even if the address were accepted.
    let refused = try Command.hrgate(
      "page", ["--no-open", "--store", store, "--host", host], environment: environment)
    #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
    for part in ["only on this machine", "no TLS and no password", "ssh -L 8099:127.0.0.1:8099 HOST"] {
      #expect(refused.errors.contains(part), "\(refused)")
    }
  }

  @Test func `without a store the page opens on welcome, and a value can be added`() async throws {
    let page = try await RunningPage(nil, environment, folder)
    let session = try await page.client.get("/api/session").object()
    #expect(session["opens"] as? String == "welcome")
    let file = try #require(session["store"] as? String)
    #expect(file.hasPrefix(folder.path("data")) && FileManager.default.fileExists(atPath: file))
    let mass =
      #"{"type":"bodyMass","value":"73.2","unit":"kg","start":"2023-11-14T22:13:20Z","end":"2023-11-14T22:13:20Z"}"#
    #expect(try await page.client.post("/api/samples", mass).status == 200)
    #expect(try await page.client.get("/api/session").object()["opens"] as? String == "summary")
    #expect(page.interrupt() == 0)
  }

  @Test func `an error that prevents serving is one sentence`() async throws {
    let missing = try Command.hrgate("page", ["--no-open", "--store", store], environment: environment)
    #expect(missing.status == 1 && missing.errors.contains("there is no store at"))
    #expect(try Command.hrgate("page", "--port", "70000", "--store", store).status == 2)
    _ = try folder.file("s.sqlite", Array("this is no store, and never was one".utf8))
    let damaged = try Command.hrgate("page", ["--no-open", "--store", store], environment: environment)
    #expect(damaged.status == 1 && damaged.errors.contains("is not a health store"), "\(damaged)")
    let sound = folder.path("t.sqlite")
    _ = try Command.hrgate("goals", "set", "activeEnergyBurned", "500", "--store", sound)
    let page = try await RunningPage(sound, environment, folder)
    let taken = try Command.hrgate(
      "page", ["--no-open", "--store", sound, "--port", "\(page.client.port)"], environment: environment)
    #expect(taken.status == 1 && taken.errors.contains("choose another with --port"), "\(taken)")
    #expect(page.interrupt() == 0)
  }
}
