import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport
@testable import hrgate

@Suite struct CommandLineTests {
  @Test func `help and version are printed to standard output`() throws {
    for arguments in [["--help"], ["replay", "--help"], ["samples", "--help"], ["--version"]] {
      let result = try Command.hrgate(arguments)
      #expect(result.status == 0)
      #expect(!result.output.isEmpty)
      #expect(result.errors.isEmpty)
    }
    #expect(try Command.hrgate("--help").output.contains("EXAMPLES"))
  }

  @Test(arguments: [
    ["replay"], ["replay", "x", "--pace", "0x"], ["replay", "x", "--measurement-handle", "0"],
    ["samples", "--limit", "0"], ["samples", "--json", "--csv"], ["stats", "--every", "1y"],
    ["samples", "--from", "yesterday"], ["samples", "--from", "2026-01-02", "--to", "2026-01-01"],
    ["samples", "--type", "heart"], ["samples", "--from", "2025-02-30"],
    ["samples", "--from", "2025-08-25T25:00:00Z"],
    ["samples", "--from", "2025-02-31T00:00:00.5Z"], ["simulate"], ["simulate", "--straps", "0", "-o", "x"],
    ["sources", "order"], ["sources", "order", "--type", "heartbeatSeries"],
    ["sources", "order", "--type", "stepCount", "--default", "com.example.a"],
    ["fly"],
  ])
  func `wrong usage has status 2 and an explanation on standard error`(arguments: [String]) throws {
    let result = try Command.hrgate(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(!result.errors.isEmpty)
  }

  @Test func `a name that is not UTF-8 is rejected, not repaired`() throws {
    let folder = try TemporaryFolder()
    let script = "cd '\(folder.url.path)'; '\(Command.hrgate.path)' simulate -o $'st\\xff.log'; echo $?; ls"
    let result = try Command.tool("bash", ["-c", script])
    #expect(result.output == "2\n")
  }

  @Test func `a closed pipe is no error for a simulation either`() throws {
    let script =
      "set -o pipefail; '\(Command.hrgate.path)' simulate --straps 5 --duration 2h -o - 2>/dev/null | head -c 9 >/dev/null; echo $?"
    #expect(try Command.tool("bash", ["-c", script]).output == "0\n")
  }

  @Test func `days begin at midnight in the local time zone`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.btsnoop")
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate("simulate", "--duration", "30s", "--start", "2026-07-01T10:00:00Z", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
    let day = try #require(
      Command.hrgate(
        "stats", "--store", store, "--every", "1d", "--json", environment: ["TZ": "Europe/Berlin"]
      ).objects().first)
    #expect(day["start"] as? String == "2026-06-30T22:00:00.000000Z")
    #expect(day["end"] as? String == "2026-07-01T22:00:00.000000Z")
    #expect(day["day"] as? String == "2026-07-01")
  }

  @Test func `intervals that do not divide a day begin at midnight of the first day too`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.btsnoop")
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate("simulate", "--duration", "30s", "--start", "2026-07-01T00:20:00Z", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
    let interval = try #require(
      Command.hrgate("stats", "--store", store, "--every", "7m", "--json").objects().first)
    #expect(interval["start"] as? String == "2026-07-01T00:14:00.000000Z")
  }

  @Test(arguments: ["samples", "stats", "sources"])
  func `a missing store is an error that names it, and is not created`(command: String) throws {
    let folder = try TemporaryFolder()
    let result = try Command.hrgate(command, "--store", folder.path("none.sqlite"))
    #expect(result.status == 1)
    #expect(result.errors.contains("none.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
  }

  @Test(arguments: ["samples", "stats", "sources"])
  func `a file that is not a store is rejected with the reason and left unchanged`(command: String) throws {
    let folder = try TemporaryFolder()
    let bytes = Array(
      "A letter to the editor, which is long enough to be looked at as a database header.".utf8)
    let file = try folder.file("letter", bytes)
    let result = try Command.hrgate(command, "--store", file)
    #expect(result.status == 1)
    #expect(result.errors.contains(file) && result.errors.contains("not a health store"))
    #expect(Array(try Data(contentsOf: URL(filePath: file))) == bytes)
  }

  @Test func `an empty file is not a store and stays empty`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("empty", [])
    let result = try Command.hrgate("samples", "--store", file)
    #expect(result.status == 1 && result.errors.contains("not a health store"))
    #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
  }

  @Test func `the default store is in the data directory and only its owner can access it`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "30s", "-o", log)
    _ = try Command.hrgate("replay", log, environment: ["XDG_DATA_HOME": folder.path("data")])
    let manager = FileManager.default
    let directory = try manager.attributesOfItem(atPath: folder.path("data/hrgate"))
    let file = try manager.attributesOfItem(atPath: folder.path("data/hrgate/health.sqlite"))
    #expect(directory[.posixPermissions] as? Int == 0o700)
    #expect(file[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a reader that closes the pipe early is no error`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.btsnoop")
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate("simulate", "--duration", "1h", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
    let script =
      "set -o pipefail; '\(Command.hrgate.path)' samples --store '\(store)' --json | head -n 1 >/dev/null; echo $?"
    let result = try Command.tool("bash", ["-c", script])
    #expect(result.output == "0\n")
    #expect(result.errors.isEmpty)
  }

  // MARK: - Error format and terminal safety

  @Test(arguments: [
    ["fly"], ["replay"], ["stats", "--every", "1y"], ["run", "--commit-interval", "0"],
    ["samples", "--store", "/none/s.sqlite"], ["monitors", "--store", "/none/s.sqlite"],
    ["forget", "x", "--store", "/none/s.sqlite"], ["replay", "/none.log", "--dry-run"],
    ["simulate", "-o", "/none/x.log"], ["scan", "--seconds", "1"],
    ["run", "--store", "/proc/none/s.sqlite"],
  ])
  func `every command prints errors in one format`(arguments: [String]) throws {
    let result = try Command.hrgate(
      arguments[0], Array(arguments.dropFirst()), environment: Command.withoutBus(try TemporaryFolder()))
    #expect(result.status != 0)
    #expect(result.errors.hasPrefix("hrgate: "), "\(result.errors)")
    #expect(!result.errors.contains("Error:"), "\(result.errors)")
  }

  @Test(arguments: [
    "samples", "stats", "sources", "monitors", "monitors gaps", "permissions list", "units", "goals",
  ])
  func `an empty store is an error like a missing one`(command: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    _ = try HKHealthStore(storeAt: path)
    for (store, reason) in [(path, "is empty"), (folder.path("none"), "there is no store at")] {
      let result = try Command.hrgate(command.split(separator: " ").map(String.init) + ["--store", store])
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(result.errors.hasPrefix("hrgate: ") && result.errors.contains(reason), "\(result.errors)")
    }
  }

  @Test func `a directory in place of a store is reported as one`() throws {
    let folder = try TemporaryFolder()
    for command in [["samples"], ["replay", "x.log"], ["monitors"]] {
      let result = try Command.hrgate(command + ["--store", folder.url.path])
      #expect(result.status == 1)
      #expect(result.errors.contains("\(folder.url.path) is a directory"), "\(result.errors)")
      #expect(!result.errors.contains("disk failed"))
    }
  }

  @Test func `a hostile name does not control the terminal in any output format`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let hostile = "Strap\u{1B}[2J\u{9B}1A\r\n\u{202E}, \"x\""
    let store = try HKHealthStore(
      configuration: .init(
        location: .file(path), application: .init(bundleIdentifier: "org.example.a", name: hostile),
        decision: .everything))
    let type = HKQuantityType(.heartRate)
    let unit = HKUnit.count().unitDivided(by: .minute())
    try await store.save(
      HKQuantitySample(
        type: type, quantity: HKQuantity(unit: unit, doubleValue: 60), start: .now, end: .now,
        device: HKDevice(
          name: hostile, manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
          softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil),
        metadata: ["note": hostile]))
    for arguments in [
      ["samples"], ["samples", "--csv"], ["samples", "--json"], ["sources"], ["sources", "--json"],
    ] {
      let result = try Command.hrgate(arguments + ["--store", path])
      let controls = result.output.unicodeScalars.filter { $0 != "\n" && $0.isControl }
      #expect(controls.isEmpty && result.lines.count == (arguments.last == "--csv" ? 2 : 1), "\(arguments)")
    }
    let object = try #require(Command.hrgate("samples", "--json", "--store", path).objects().first)
    #expect((object["source"] as? [String: Any])?["name"] as? String == hostile)
    let csv = try #require(Command.hrgate("samples", "--csv", "--store", path).lines.last)
    #expect(csv.contains(#""Strap\u{1B}[2J\u{009B}1A\r\n\u{202E}, ""x""",org.example.a"#))
    let log = folder.path("no\u{1B}[2Jlog")
    let refused = try Command.hrgate("replay", log, "--dry-run")
    #expect(!(refused.errors + refused.output).contains("\u{1B}"))
  }

  // MARK: - Latest samples and mixed sources

  @Test func `--last prints the latest sample of each type, or of one type, with its age`() throws {
    let folder = try TemporaryFolder()
    let (log, store) = (folder.path("log.btsnoop"), folder.path("s.sqlite"))
    _ = try Command.hrgate("simulate", "--straps", "2", "--duration", "5m", "--seed", "2", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
    let all = try Command.hrgate("samples", "--store", store, "--json").objects()
    let latest = try Command.hrgate("samples", "--store", store, "--last", "--json").objects()
    let types = Set(all.compactMap { $0["type"] as? String })
    #expect(Set(latest.compactMap { $0["type"] as? String }) == types && latest.count == types.count)
    for sample in latest {
      let same = all.filter { $0["type"] as? String == sample["type"] as? String }
      let newest = same.compactMap { $0["start"] as? String }.max()
      #expect(sample["start"] as? String == newest)
    }
    let shown = try Command.hrgate("samples", "--store", store, "--type", "heartRate", "--last").lines
    #expect(shown.count == 1 && shown.first?.contains(/count\/min .* [0-9]+ d ago$/) == true)
    #expect(try Command.hrgate("samples", "--store", store, "--last", "--limit", "2").status == 2)
  }

  @Test func `figures of several monitors say so, and figures of one chosen monitor do not`() throws {
    let folder = try TemporaryFolder()
    let (log, store) = (folder.path("log.btsnoop"), folder.path("s.sqlite"))
    _ = try Command.hrgate("simulate", "--straps", "2", "--duration", "1m", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
    for arguments in [["stats"], ["stats", "--json"]] {
      let mixed = try Command.hrgate(arguments + ["--store", store])
      #expect(mixed.status == 0)
      #expect(
        mixed.errors.hasPrefix("hrgate: these values combine 2 sources; choose one with --source: "))
      #expect(mixed.errors.contains("Strap 1 (org.hrgate.monitor.") && mixed.errors.contains("Strap 2 ("))
    }
    #expect(try Command.hrgate("stats", "--store", store, "--source", "Strap 1").errors.isEmpty)
  }

  @Test func `figures include a monitor whose sample is only partly in the time range`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let noon = try Date("2026-01-01T12:00:00Z", strategy: .iso8601)
    for (name, start, end) in [("A", -600.0, 600.0), ("B", 1200, 1800), ("C", 7200, 7800)] {
      try await store.acting(as: HKSource(name: name, bundleIdentifier: "org.example.\(name)")).save(
        HKQuantitySample(
          type: HKQuantityType(.activeEnergyBurned),
          quantity: HKQuantity(unit: .jouleUnit(with: .kilo), doubleValue: 40), start: noon + start,
          end: noon + end))
    }
    let span = ["--from", "2026-01-01T12:00:00Z", "--to", "2026-01-01T13:00:00Z"]
    let found = try Command.hrgate(
      ["stats", "--type", "activeEnergyBurned", "--json", "--store", path] + span)
    #expect(try found.objects().first?["sum"] as? Double == 60)
    #expect(
      found.errors.contains(
        "combine 2 sources; choose one with --source: A (org.example.A), B (org.example.B)"))
  }

  @Test func `the help of stats explains its time range`() throws {
    let help = try Command.hrgate("stats", "--help").output
    #expect(help.contains("Use samples from this time on") && help.contains("Use samples up to this"))
    #expect(!help.contains("samples that start"))
    #expect(try Command.hrgate("samples", "--help").output.contains("samples that start"))
    let later = ["--from", "2026-01-02T00:00:00Z", "--to", "2026-01-01T00:00:00Z"]
    #expect(try Command.hrgate(["stats"] + later).errors.contains("--to is before --from"))
  }
}
