import Foundation
import Testing

@testable import TestSupport

@Suite struct CommandLineTests {
  @Test func `help and version are data`() throws {
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

  @Test func `a name that is not UTF-8 is refused and not repaired`() throws {
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

  @Test func `days begin at midnight UTC wherever the machine stands`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.btsnoop")
    let store = folder.path("s.sqlite")
    _ = try Command.hrgate("simulate", "--duration", "30s", "--start", "2026-07-01T10:00:00Z", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
    let day = try #require(
      Command.hrgate(
        "stats", "--store", store, "--every", "1d", "--json", environment: ["TZ": "Europe/Berlin"]
      ).objects().first)
    #expect(day["start"] as? String == "2026-07-01T00:00:00.000000Z")
    #expect(day["end"] as? String == "2026-07-02T00:00:00.000000Z")
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
  func `a store that is not there fails by its name and is not made`(command: String) throws {
    let folder = try TemporaryFolder()
    let result = try Command.hrgate(command, "--store", folder.path("none.sqlite"))
    #expect(result.status == 1)
    #expect(result.errors.contains("none.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
  }

  @Test(arguments: ["samples", "stats", "sources"])
  func `a file that is no store is refused by its reason and left as it was`(command: String) throws {
    let folder = try TemporaryFolder()
    let bytes = Array(
      "A letter to the editor, which is long enough to be looked at as a database header.".utf8)
    let file = try folder.file("letter", bytes)
    let result = try Command.hrgate(command, "--store", file)
    #expect(result.status == 1)
    #expect(result.errors.contains(file) && result.errors.contains("not a health store"))
    #expect(Array(try Data(contentsOf: URL(filePath: file))) == bytes)
  }

  @Test func `an empty file is no store and stays empty`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("empty", [])
    let result = try Command.hrgate("samples", "--store", file)
    #expect(result.status == 1 && result.errors.contains("not a health store"))
    #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
  }

  @Test func `the default store is in the data directory, for its owner alone`() throws {
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

  @Test func `a reader that has seen enough is no error`() throws {
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
}
