import DemoYear
import Foundation
import Glibc
import HealthDataSync
import HealthKit
import HealthStorage
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests `hrgate demo` and its data.
@Suite(.timeLimit(.minutes(30))) struct DemoTests {
  /// 2026-03-18, a Wednesday.
  private static let end = Date(timeIntervalSince1970: 1_773_835_200)
  private static let strap = HKSource(
    name: "Strap", bundleIdentifier: "org.hrgate.monitor.C2:A5:50:00:00:01")

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var calendar: Calendar {
    get throws {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
      return calendar
    }
  }

  /// Saves some days of a person, and returns the path of the store.
  private func store(_ name: String, seed: UInt64, days: Int) async throws -> String {
    let path = folder.path(name)
    let count = try await SimulatedYear(seed: seed, end: Self.end, days: days, calendar: calendar)
      .save(to: SystemStore(at: path), strap: Self.strap)
    let stored = try await SystemStore(at: path).sampleCounts().reduce(0) { sum, source in
      source.counts.filter { !$0.key.contains("BloodPressure") }.values.reduce(sum, +)
    }
    // The simulated year counts a blood pressure as one sample. The store also has its two quantities.
    let pairs = try samples(path, "bloodPressure").count
    #expect(stored + pairs == count)
    return path
  }

  private func samples(_ path: String, _ type: String) throws -> [[String: Any]] {
    try Command.hrgate("samples", "--json", "--type", type, "--store", path).objects()
  }

  private func values(_ path: String, _ type: String) throws -> [Double] {
    try samples(path, type).compactMap { $0["value"] as? Double }
  }

  private func mean(_ values: some Collection<Double>) -> Double {
    values.reduce(0, +) / Double(max(1, values.count))
  }

  // MARK: - The year

  @Test func `the same seed gives the same days, and another seed others`() async throws {
    var printed: [String] = []
    for (number, seed) in [5, 5, 6].enumerated() {
      let path = try await store("\(number).sqlite", seed: UInt64(seed), days: 4)
      printed.append(try Command.hrgate("samples", "--json", "--store", path).output)
    }
    #expect(printed[0].split(separator: "\n").count > 3000)
    #expect(printed[0] == printed[1])
    #expect(printed[0] != printed[2])
  }

  @Test func `the person sleeps, works, trains, loses weight and catches a cold`() async throws {
    let path = try await store("s.sqlite", seed: 1, days: 120)
    #expect(try Command.hrgate("store", "check", "--store", path).status == 0)
    // The last sample must end before the end of the simulated days, and within an hour of it.
    let last = try Command.hrgate("samples", "--json", "--type", "heartRate", "--last", "--store", path)
    let time = try #require(try last.objects().first?["end"] as? String)
    #expect(time <= Timestamp.text(Self.end) && time > Timestamp.text(Self.end - 3600))

    let resting = try values(path, "restingHeartRate")
    #expect(resting.count == 120 && resting.allSatisfy { (48...80).contains($0) })
    // The simulated person has a cold that begins 75 days before the end of the data.
    let (ill, healthy) = (resting[46...49], resting[..<40] + resting[60...])
    #expect(mean(Array(ill)) > mean(Array(healthy)) + 4)
    #expect(mean(resting.suffix(20)) < mean(resting.prefix(20)) - 2)
    #expect(try samples(path, "coughing").count >= 3)
    #expect(mean(try values(path, "bodyMass").suffix(8)) < mean(try values(path, "bodyMass").prefix(8)) - 2)

    let workouts = try samples(path, "workout")
    #expect((40...100).contains(workouts.count))
    let nights = try Command.hrgate(
      "stats", "--json", "--type", "heartRate", "--every", "1h", "--time-zone", "UTC", "--store", path
    ).objects()
    func rate(_ hours: Set<String>) -> Double {
      mean(
        nights.filter { line in
          guard let start = line["start"] as? String else { return false }
          return hours.contains(String(start.dropFirst(11).prefix(2)))
        }.compactMap { $0["average"] as? Double })
    }
    #expect((42...60).contains(rate(["03", "04"])))
    #expect(rate(["14", "15"]) > rate(["03", "04"]) + 10)
    let variability = try values(path, "heartRateVariabilitySDNN")
    #expect(variability.count > 500 && (25...75).contains(mean(variability)))
    // The strap was worn in the last two weeks.
    let beats = try Command.hrgate("hrv", "--json", "--window", "1d", "--store", path).objects()
    #expect((4...14).contains(beats.count))
  }

  @Test func `figures are derived from later samples only`() async throws {
    let path = try await store("s.sqlite", seed: 2, days: 20)
    let derivation = try Derivation(SystemStore(at: path).healthStore)
    #expect(try await derivation.catchUp() == DerivationTally())
  }

  // MARK: - The command

  private var environment: [String: String] {
    Command.withoutBus(folder).merging([
      "XDG_RUNTIME_DIR": folder.path(""), "TMPDIR": folder.path(""),
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path("none"))",
      "XDG_DATA_HOME": folder.path("data"),
    ]) { $1 }
  }

  private func demoFolders() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
      $0.hasPrefix("hrgate-demo-")
    }
  }

  @Test func `the page shows the person and two live straps, and the store is removed at the end`()
    async throws
  {
    let output = folder.path("address")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["demo", "--no-open", "--port", "0", "--days", "5"]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    func text() throws -> String { try String(contentsOfFile: output, encoding: .utf8) }
    #expect(try await eventually { try text().hasSuffix("\n") })

    let names = try demoFolders()
    let demo = try #require(names.first)
    #expect(names.count == 1)
    var status = stat()
    #expect(stat(folder.path(demo), &status) == 0 && status.st_mode & 0o777 == 0o700)
    let address = try #require(URL(string: try text().trimmingCharacters(in: .newlines)))
    var client = PageClient(port: try #require(address.port))
    let answer = try await client.get(address.path + "?" + (address.query ?? ""))
    client.cookie = answer.fields["set-cookie"].map { String($0.prefix { $0 != ";" }) }
    let listed = try await client.get("/api/types").object()["types"] as? [[String: Any]] ?? []
    let types = Set(listed.compactMap { $0["type"] as? String })
    #expect(types.isSuperset(of: ["heartRate", "stepCount", "sleepAnalysis", "restingHeartRate"]))
    // Both simulated straps are connected and send heart rates.
    #expect(
      try await eventually {
        let report = try await client.get("/api/monitors").decoded(ShownReport.self)
        let live = report.monitors.filter { $0.state == "following" && $0.heartRate ?? 0 > 0 }
        return live.compactMap(\.name).sorted() == ["Demo Armband", "Demo Chest Strap"]
      })

    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try demoFolders() == [])
    // The user's own data is not touched.
    #expect(!FileManager.default.fileExists(atPath: folder.path("data")))
  }

  @Test func `a demo that was killed is removed by the next one, which needs its port`() throws {
    let old = folder.path("hrgate-demo-old")
    let young = folder.path("hrgate-demo-young")
    for path in [old, young] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try Data("x".utf8).write(to: URL(filePath: path + "/demo.sqlite"))
    }
    try FileManager.default.setAttributes([.modificationDate: Date.now - 3600], ofItemAtPath: old)
    let listener = try LoopbackSocket.listening()
    defer { close(listener) }
    let port = try port(of: listener)
    let result = try Command.hrgate(
      "demo", ["--no-open", "--port", "\(port)", "--days", "1"], environment: environment)
    #expect(result.status == 1 && result.errors.contains("port"), "\(result)")
    #expect(try demoFolders() == ["hrgate-demo-young"])
  }

  private func port(of listener: Int32) throws -> Int {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
    }
    try #require(status == 0)
    return Int(UInt16(bigEndian: address.sin_port))
  }

  @Test(arguments: [["--port", "70000"], ["--seed", "-1"], ["--store", "x"]])
  func `wrong usage is refused`(_ arguments: [String]) throws {
    #expect(try Command.hrgate("demo", arguments, environment: environment).status == 2)
    #expect(try demoFolders() == [])
  }
}
