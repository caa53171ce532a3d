import Foundation
import HealthKit
import Testing

@testable import TestSupport

/// Tests `hrgate export --format rr` in the formats of other programs.
@Suite struct RRExportTests {
  private let folder: TemporaryFolder
  private let store: String
  private static let start = 1_763_700_000.0
  private static let gap = 600.0

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
  }

  /// Returns intervals in ticks of 1/1024 s. An extra beat splits one interval into halves.
  private static func ticks(_ count: Int, extraAt extra: Int? = nil) -> [Int] {
    var ticks = (0..<count).map { 880 + Int(40 * sin(Double($0) / 2.1) + 30 * sin(Double($0) / 5.3)) }
    if let extra {
      let whole = ticks.remove(at: extra)
      ticks.insert(contentsOf: [whole / 2, whole - whole / 2], at: extra)
    }
    return ticks
  }

  private static func milliseconds(_ ticks: [Int]) -> [Double] { ticks.map { Double($0) * 1000 / 1024 } }

  /// The intervals of two periods, ten minutes apart. The second period is longer.
  private static let stretches = [ticks(120), ticks(200, extraAt: 100)]

  private func save(_ ticks: [Int], at start: Double, as source: String = "s") async throws {
    let store = try HKHealthStore(storeAt: store).acting(
      as: HKSource(name: "Strap \(source)", bundleIdentifier: source))
    try await store.save(HKHeartbeatSeriesSample.beats(ticks, at: start))
  }

  private func saveBoth() async throws -> (second: Double, end: Double) {
    let first = Double(Self.stretches[0].reduce(0, +)) / 1024
    let second = first + Self.gap
    try await save(Self.stretches[0], at: Self.start)
    try await save(Self.stretches[1], at: Self.start + second)
    return (second, second + Double(Self.stretches[1].reduce(0, +)) / 1024)
  }

  private func export(for tool: String, _ arguments: String...) throws -> (rows: [String], errors: String) {
    let path = folder.path("out")
    let result = try Command.hrgate(
      ["export", "--format", "rr", "--for", tool, "-o", path, "--store", store] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return (text.split(separator: "\n").map(String.init), result.errors)
  }

  private func numbers(_ row: String, _ separator: Character) -> [Double] {
    row.split(separator: separator).compactMap { Double($0) }
  }

  @Test func `Kubios gets times and measured intervals in seconds, and can see the gap`()
    async throws
  {
    let (second, end) = try await saveBoth()
    let rows = try export(for: "kubios").rows.map { numbers($0, "\t") }
    #expect(rows.map { $0[1] * 1000 } == Self.milliseconds(Self.stretches[0] + Self.stretches[1]))
    for (before, row) in zip(rows, rows.dropFirst()) {
      let step = row[0] - before[0] - row[1]
      #expect(abs(step) < 2e-6 || abs(step - Self.gap) < 2e-6)
    }
    #expect(abs((rows.last?[0] ?? 0) - end) < 2e-6 && abs(rows[120][0] - rows[120][1] - second) < 2e-6)
  }

  @Test func `NeuroKit2 gets normal intervals and their times`() async throws {
    _ = try await saveBoth()
    let (rows, errors) = try export(for: "neurokit2")
    #expect(rows.first == "RRI,RRI_Time")
    let pairs = rows.dropFirst().map { numbers($0, ",") }
    #expect(pairs.count >= 315 && pairs.count < 321 && pairs.allSatisfy { $0[0] > 600 })
    #expect(errors.contains("artifacts (not real heartbeat intervals): \(321 - pairs.count) intervals"))
    // intervals_process() of NeuroKit2 treats intervals as successive if they fit within ten milliseconds.
    let breaks = zip(pairs, pairs.dropFirst()).filter { abs(($1[1] - $0[1]) * 1000 - $1[0]) > 10 }
    #expect(breaks.count == 2)
  }

  @Test func `Elite HRV gets the longest continuous period in whole milliseconds`() async throws {
    _ = try await saveBoth()
    let (rows, errors) = try export(for: "elite-hrv")
    #expect(rows == Self.milliseconds(Self.stretches[1]).map { String(Int($0.rounded())) })
    #expect(errors.contains("left out: 120 intervals"))
  }

  @Test func `pyHRV gets only normal intervals of one continuous period`() async throws {
    _ = try await saveBoth()
    let rows = try export(for: "pyhrv").rows.compactMap(Double.init)
    #expect((199...201).contains(rows.count) && rows.allSatisfy { (700...1000).contains($0) })
    #expect(rows.prefix(95) == Self.milliseconds(Self.stretches[1]).prefix(95))
  }

  @Test func `time and source select samples, and one of several sources must be named`() async throws {
    let (second, _) = try await saveBoth()
    let until = Date(timeIntervalSince1970: Self.start + second - 1).formatted(.iso8601)
    #expect(try export(for: "elite-hrv", "--to", until).rows.count == 120)
    #expect(try export(for: "kubios", "--from", until).rows.count == 201)
    try await save([1024, 512], at: Self.start, as: "t")
    let both = try Command.hrgate("export", "--format", "rr", "--for", "kubios", "-o", "-", "--store", store)
    #expect(both.status == 1 && both.errors.contains("Strap s (s), Strap t (t)"))
    #expect(try export(for: "kubios", "--source", "t").rows == ["1.0\t1.0", "1.5\t0.5"])
  }

  @Test func `without a program everything is exported, and has the same figures when read again`()
    async throws
  {
    _ = try await saveBoth()
    let path = folder.path("beats.txt")
    let result = try Command.hrgate("export", "--format", "rr", "-o", path, "--store", store)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(try rows == export(for: "kubios").rows && rows.count == 321)
    let start = Date(timeIntervalSince1970: Self.start).formatted(.iso8601)
    let figures = try Command.hrgate("hrv", path, "--start", start, "--window", "all", "--json").objects()
    let stored = try Command.hrgate("hrv", "--store", store, "--window", "all", "--json").objects()
    let rmssd = (figures + stored).compactMap { $0["rmssd"] as? Double }
    #expect(figures.count == 1 && stored.count == 1 && rmssd.count == 2 && rmssd[0] == rmssd[1], "\(figures)")
  }

  @Test(arguments: [["--format", "csv", "--for", "kubios"], ["--format", "rr", "--type", "heartRate"]])
  func `a program can only be named with rr, and a type only with other formats`(arguments: [String]) throws {
    #expect(try Command.hrgate(["export", "-o", "-", "--store", store] + arguments).status == 2)
  }
}
