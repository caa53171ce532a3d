import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import TestSupport

/// Runs the browser tests in `Tests/PageTests/browser` against `hrgate page` and against a fake server.
@Suite(.timeLimit(.minutes(30)), .enabled(if: PageBrowser.isInstalled)) struct PageBrowserTests {
  private static let spikes = "com.example.watch"

  /// A store with a year of hourly samples with a spike, up to some days ago, and two straps that were each
  /// recorded twice, with a gap between the recordings.
  private struct World {
    let folder: TemporaryFolder
    let store: String
    /// End of the second recording, in seconds since 1970.
    let end: Double
    let spike: Double

    init(_ folder: TemporaryFolder) async throws {
      self.folder = folder
      store = folder.path("s.sqlite")
      let start = (Date().timeIntervalSince1970 / 60).rounded(.down) * 60 - 6 * 3600
      end = start + 1800
      // Noon on a Thursday, because the weekly bars of the chart begin on Mondays. In a chart of a year, a
      // pixel is eight hours.
      spike = ((start - 100 * 86_400) / 604_800).rounded(.down) * 604_800 + 43_200
      for (number, begin) in [start, start + 1200].enumerated() {
        let log = folder.path("\(number).btsnoop")
        _ = try Command.hrgate(
          "simulate", "--straps", "2", "--duration", "10m", "--start",
          Date(timeIntervalSince1970: begin).formatted(.iso8601), "-o", log)
        _ = try Command.hrgate("replay", log, "--store", store)
      }
      // Adds a bundled recording of a bonded strap.
      _ = try Command.hrgate(
        "replay", Recordings.path("bonded-60s.btsnoop"), "--store", store)
      try await saveYear()
    }

    /// The number of hourly samples before the spike, and of all hourly samples.
    private static let hours = (before: 240 * 24, all: 339 * 24)

    private func saveYear() async throws {
      let source = HKSource(
        name: "Watch <b>2</b>", bundleIdentifier: PageBrowserTests.spikes)
      let samples = (0..<Self.hours.all).map { hour in
        let time = Date(timeIntervalSince1970: spike + Double(hour - Self.hours.before) * 3600)
        // Each of seven consecutive weeks has another mean.
        let usual = 60 + Double(hour % 20) + Double(hour / 168 % 7)
        return HKQuantitySample(
          type: HKQuantityType(.heartRate),
          quantity: HKQuantity(
            unit: HKUnit(from: "count/min"), doubleValue: hour == Self.hours.before ? 231 : usual),
          start: time, end: time)
      }
      try await SystemStore(at: store).healthStore.acting(as: source).save(samples)
    }

    /// Returns the facts that the browser tests read from a file.
    func facts(live: [String: Any]) throws -> [String: Any] {
      let gap = try #require(
        try Command.hrgate("monitors", "gaps", "--json", "--store", store).objects().first {
          $0["end"] is String && $0["cause"] as? String == "closed-by-peripheral"
        })
      let times = try ["start", "end"].map { try Self.milliseconds(gap[$0]) }
      var generator = SeededGenerator(seed: UInt64(end))
      let stretches: [[String: Any]] = try (0..<(isLongRun ? 40 : 4)).map { _ in
        let from = end - 1800 + Double(Int.random(in: 0..<500, using: &generator))
        let to = from + Double(Int.random(in: 30..<90, using: &generator))
        let stats = try Command.hrgate(["stats", "--json", "--store", store] + Self.span(from, to)).objects()
          .first
        return ["from": from * 1000, "to": to * 1000, "stats": try #require(stats)]
      }
      let strap = try #require(straps().first)
      let rates = try Command.hrgate(
        ["samples", "--json", "--type", "heartRate", "--source", strap, "--store", store]
          + Self.span(end - 601, end + 1)
      ).objects().compactMap { $0["start"] as? String }
      // The page ends a session shortly after its last heart rate.
      let last = try Self.milliseconds(rates.last) / 1000 + 0.0015
      let session = [
        "--from", rates.first ?? "", "--to",
        Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(Date(timeIntervalSince1970: last)),
        "--source", strap,
      ]
      return [
        "spike": [
          "time": spike * 1000, "rate": 231, "count": Self.hours.all, "source": PageBrowserTests.spikes,
        ],
        "gap": [
          "start": times[0], "end": times[1], "text": "taken off or switched off",
          "name": gap["name"] ?? "",
        ],
        "summary": try summary(),
        "worn": [(end - 1800) * 1000, (end - 1200) * 1000], "stretches": stretches, "live": live,
        "session": strap,
        "csv": try Command.hrgate(
          ["samples", "--csv", "--type", "heartRate", "--store", store] + Self.span(end - 1800, end - 1200)
        ).output,
        "rr": try Command.hrgate(
          ["export", "--format", "rr", "--for", "kubios", "-o", "-", "--store", store] + session
        ).output,
      ]
    }

    /// Returns the means of the last seven complete local days and of the 60 days before. They are means of
    /// daily means, which are means of hourly means.
    private func summary() throws -> [String: Any] {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
      let today = calendar.startOfDay(for: Date())
      func mean(from: Int, to: Int) throws -> Double {
        let days = try (from..<to).compactMap { day -> Double? in
          let start = try #require(calendar.date(byAdding: .day, value: day, to: today))
          let end = try #require(calendar.date(byAdding: .day, value: 1, to: start))
          let span = Self.span(start.timeIntervalSince1970, end.timeIntervalSince1970)
          let hours = try Command.hrgate(["stats", "--every", "1h", "--json", "--store", store] + span)
            .objects()
            .compactMap { $0["average"] as? Double }
          return hours.isEmpty ? nil : hours.reduce(0, +) / Double(hours.count)
        }
        return days.reduce(0, +) / Double(days.count)
      }
      return ["now": try mean(from: -7, to: 0), "before": try mean(from: -67, to: -7)]
    }

    /// Returns the identifiers of the recorded straps, sorted by name.
    private func straps() throws -> [String] {
      try Command.hrgate("sources", "--json", "--store", store).objects().compactMap {
        ($0["name"] as? String)?.hasPrefix("Strap ") == true ? $0["bundleIdentifier"] as? String : nil
      }
    }

    private static func span(_ from: Double, _ to: Double) -> [String] {
      [
        "--from", Date(timeIntervalSince1970: from).formatted(.iso8601), "--to",
        Date(timeIntervalSince1970: to).formatted(.iso8601),
      ]
    }

    private static func milliseconds(_ text: Any?) throws -> Double {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      let text = (text as? String ?? "").replacing(#/(\.\d{3})\d*Z$/#) { "\($0.output.1)Z" }
      return try style.parse(text).timeIntervalSince1970 * 1000
    }
  }

  @Test(.enabled(if: ScriptedDaemon.isInstalled))
  func `the real page shows the values of the command line and the heart rate of a measuring strap`()
    async throws
  {
    let folder = try TemporaryFolder()
    let world = try await World(folder)
    let daemon = try ScriptedDaemon(
      straps: [ScriptedDaemon.strap, ScriptedDaemon.otherStrap], areHeard: true)
    var environment = daemon.environment
    environment["DBUS_SESSION_BUS_ADDRESS"] = environment["DBUS_SYSTEM_BUS_ADDRESS"]
    environment["XDG_RUNTIME_DIR"] = folder.path("")
    try await ScriptedDaemon.enrolStrap(inStoreAt: world.store)
    let facts = try folder.file(
      "facts.json",
      Array(
        JSONSerialization.data(
          withJSONObject: try world.facts(live: [
            "address": ScriptedDaemon.strap, "other": ScriptedDaemon.otherStrap, "rates": [112, 113],
          ]))))
    let gateway = try RunningGateway(
      ["run", "--json", "--store", world.store, "--commit-interval", "0.2"], environment,
      output: folder.path("gateway"))
    // Wait until the gateway has subscribed to the strap, because the strap sends nothing before.
    let subscribed: Set = ["following", "silent"]
    #expect(
      try await eventually {
        let status = try Command.hrgate("status", ["--json"], environment: environment).objects().first
        let monitors = status?["monitors"] as? [[String: Any]]
        return subscribed.contains(monitors?.first?["state"] as? String ?? "")
      })
    let store = world.store
    async let isGranted = mayRecord(inStoreAt: store)
    let page = try await PrintedPage(store, environment, folder)
    let outcome = try await withThrowingTaskGroup(of: Void.self) { tasks in
      // The strap measures while the browser tests run, and alternates its heart rate.
      tasks.addTask {
        while !Task.isCancelled {
          for rate in [112, 113] as [UInt8] {
            for turn in 0..<8 where !Task.isCancelled {
              // Two beats per second, one early and the next one late.
              let ticks: [[UInt16]] = [[367], [], [655], []]
              do {
                try await onOwnThread { try daemon.measure([(rate, ticks[turn % 4])]) }
              } catch {
                Issue.record(error, "the strap measures no more")
                return
              }
              try? await Task.sleep(for: .milliseconds(250))
            }
          }
        }
      }
      let said = try await PageBrowser.run(["--address", page.address, "--facts", facts])
      tasks.cancelAll()
      return said
    }
    #expect(outcome.status == 0 && outcome.output.contains("ok test_served_"), "\(outcome.failures)")
    // Answer a permission request that is still pending. Otherwise the program that made it would wait
    // forever.
    let system = try SystemStore(at: store)
    if let forgotten = try await system.nextPendingAuthorization() {
      try await system.answer(forgotten, .granted(share: [], read: []))
    }
    #expect(try await isGranted)
    #expect(page.interrupt() == 0)
    try gateway.end()
  }

  /// Uses a random store in a time zone with clock changes.
  @Test(arguments: 1...(isLongRun ? 8 : 1) as ClosedRange<UInt64>)
  func `each number of a local day in the browser equals the one on the command line`(
    seed: UInt64
  ) async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    var random = try RandomDays(seed: 100 + seed)
    try await random.save(inStoreAt: store)
    var environment = Command.withoutBus(folder)
    environment["XDG_RUNTIME_DIR"] = folder.path("")
    let asked = try await RunningPage(store, environment, folder)
    let sessions = try await asked.client.get("/api/worn").object()["sessions"] as? [[String: Any]] ?? []
    #expect(asked.interrupt() == 0)
    let facts = try folder.file(
      "facts.json",
      Array(JSONSerialization.data(withJSONObject: try DayFacts(store).object(random, sessions))))
    let page = try await PrintedPage(store, environment, folder)
    let said = try await PageBrowser.run(["--address", page.address, "--facts", facts, "test_days"])
    #expect(said.status == 0 && said.output.split(separator: "\n").count == 4, "\(said.failures)")
    #expect(page.interrupt() == 0)
  }

  /// Tests that need a server with scripted responses: old heart rates, failures, sessions that end. Most of
  /// these tests wait for delays of the page, so four browsers at a time need a quarter of the time.
  @Test(arguments: 1...4) func `the page works with a scripted server`(part: Int) async throws {
    let said = try await PageBrowser.run((isLongRun ? [] : ["--quick"]) + ["--part", "\(part)/4"])
    #expect(said.status == 0 && said.output.contains("ok test_"), "\(said.failures)")
  }
}

/// Asks to read and save heart rates, as a program does, and waits for the answer.
///
/// - Returns: Whether the program may save.
@Sendable private func mayRecord(inStoreAt path: String) async throws -> Bool {
  let application = try HKHealthStore.Application(
    bundleIdentifier: "org.example.recorder", name: "Recorder", version: "1",
    entitlements: HKHealthStore.Application.Entitlements(healthKit: true),
    healthShareUsageDescription: "To chart <b>your</b> heart rate.",
    healthUpdateUsageDescription: "To keep your heart rate.")
  let program = try HKHealthStore(
    configuration: .init(location: .file(path), application: application, decision: .user))
  let type = HKQuantityType(.heartRate)
  try await program.requestAuthorization(toShare: [type], read: [type])
  return program.authorizationStatus(for: type) == .sharingAuthorized
}

/// Runs Python with Playwright, which `scripts/page-browser` sets up, and Debian's chromium-headless-shell.
enum PageBrowser {
  static let isInstalled: Bool = {
    for (path, remedy) in [
      (python, "scripts/page-browser"), (chromium, "scripts/install --for-tests"),
      ("/usr/bin/faketime", "scripts/install --for-tests"),
    ]
    where !FileManager.default.isExecutableFile(atPath: path) {
      print("skipped: \(path) is missing (\(remedy))")
      return false
    }
    return true
  }()

  private static let chromium = "/usr/bin/chromium-headless-shell"
  private static let python: String = {
    let environment = ProcessInfo.processInfo.environment
    let cache = environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "/tmp") + "/.cache"
    return cache + "/hrgate/page-browser/bin/python"
  }()

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../PageTests/browser/run.py").standardizedFileURL.path

  /// Runs the tests that the arguments select. The failures are the output without the names of passed tests.
  static func run(
    _ arguments: [String]
  ) async throws -> (status: Int32, output: String, failures: String) {
    try await onOwnThread {
      let folder = try TemporaryFolder()
      let output = try folder.file("output", [])
      let process = Process()
      process.executableURL = URL(filePath: python)
      process.arguments = ["-B", script] + arguments
      process.standardOutput = FileHandle(forWritingAtPath: output)
      process.standardError = process.standardOutput
      try process.run()
      process.waitUntilExit()
      let text = try String(contentsOfFile: output, encoding: .utf8)
      let failures = text.split(separator: "\n").filter { !$0.hasPrefix("ok ") }
      return (process.terminationStatus, text, failures.joined(separator: "\n"))
    }
  }
}
