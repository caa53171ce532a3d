import Foundation
import HealthKit
import HeartRateVariability
import Testing

@testable import TestSupport

/// Tests `hrgate hrv` on stores written with HealthKit.
@Suite struct VariabilityTests {
  private let start = 1_763_700_000.0

  private struct Line: Decodable {
    var beats: Int
    var coverage: Double
    var artefacts: Double
    var meanNN: Double?
    var sdnn: Double?
    var rmssd: Double?
    var pnn50: Double?
    var lf: Double?
    var hf: Double?
    var dfaAlpha1: Double?
  }

  /// Saves beats as several heartbeat series. Each series begins with the last beat of the previous one.
  private func save(
    _ ticks: [UInt16], at start: Double, as source: String = "com.example.strap", in path: String
  )
    async throws
  {
    let store = try HKHealthStore(storeAt: path).acting(
      as: HKSource(name: "Strap \(source.suffix(1))", bundleIdentifier: source))
    var total = 0
    for first in stride(from: 0, to: ticks.count, by: 300) {
      let part = ticks[first..<min(first + 300, ticks.count)].map(Int.init)
      // Dates in a store have a resolution of microseconds.
      let begin = start + (Double(total) / 1024 * 1e6).rounded() / 1e6
      total += part.reduce(0, +)
      try await store.save(HKHeartbeatSeriesSample.beats(part, at: begin))
    }
  }

  /// Returns intervals in ticks of a heart at about 70 beats per minute, the same in each run.
  private func ticks(_ count: Int) -> [UInt16] {
    (0..<count).map { number in
      let phase = Double(number)
      let waves = 40 * sin(phase / 2.1) + 30 * sin(phase / 5.3)
      return UInt16(880 + waves) + UInt16(number * 7919 % 23)
    }
  }

  private func lines(_ path: String, _ arguments: String...) throws -> [[String: Any]] {
    try Command.hrgate(["hrv", "--store", path, "--json"] + arguments).objects()
  }

  @Test func `the figures are the module's, as if the beats had never been stored in parts`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let ticks = ticks(1000)
    try await save(ticks, at: start, in: path)
    let recording = Cleaning.usual.mark([RRSegment(start: start, ticks: ticks)].compactMap(\.self))
    let windows = WindowPlan.fiveMinutes.windows(of: recording)
    // JSONSerialization rounds the last bit of some numbers.
    let lines = try Command.hrgate("hrv", "--store", path, "--json").lines.map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(lines.count == windows.count && windows.count == 3)
    for (line, window) in zip(lines, windows) {
      let series = recording.nn(in: window)
      let time = try series.timeDomain()
      #expect(line.beats == series.measured && line.coverage == series.coverage && line.artefacts == 0)
      #expect(line.meanNN == time.meanNN && line.sdnn == time.sdnn && line.rmssd == time.rmssd)
      #expect(line.pnn50 == time.pNN50())
      let powers = try series.bandPowers()
      #expect(line.lf == powers.lf && line.hf == powers.hf)
      #expect(try line.dfaAlpha1 == series.alpha())
    }
  }

  @Test func `all is one window over each uninterrupted stretch together`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await save(ticks(200), at: start, in: path)
    try await save(ticks(100), at: start + 4000, in: path)
    let line = try #require(try lines(path, "--window", "all").first)
    let segments = [
      RRSegment(start: start, ticks: ticks(200)), RRSegment(start: start + 4000, ticks: ticks(100)),
    ]
    let time = try Cleaning.usual.mark(segments.compactMap(\.self)).pooled().timeDomain()
    #expect(abs((line["rmssd"] as? Double ?? 0) - time.rmssd) < 1e-9 && line["beats"] as? Int == 300)
    #expect(line["coverage"] as? Double == 1)
  }

  @Test func `windows start at --from, and windows that end after --to are left out`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await save(ticks(1000), at: start, in: path)
    let lines = try lines(
      path, "--window", "1m", "--from", "2025-11-21T04:41:07Z", "--to", "2025-11-21T04:44:30Z")
    #expect(
      lines.map { ($0["start"] as? String ?? "").prefix(19) } == [
        "2025-11-21T04:41:07", "2025-11-21T04:42:07", "2025-11-21T04:43:07",
      ])
    #expect(lines.allSatisfy { ($0["withheld"] as? [String: String])?["lf"] == "window-too-short" })
  }

  @Test func `windows slide by what --every says`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await save(ticks(400), at: start, in: path)
    let lines = try lines(path, "--window", "2m", "--every", "30s").filter { $0["refused"] == nil }
    let times = lines.compactMap { $0["start"] as? String }.map { $0.dropFirst(14).prefix(5) }
    #expect(times.count > 6 && Set(times.map { $0.suffix(2) }) == ["00", "30"])
    for wrong in [["--window", "all", "--every", "5s"], ["--window", "1m", "--every", "2m"]] {
      #expect(try Command.hrgate(["hrv", "--store", path] + wrong).status == 2)
    }
  }

  @Test func `each source is computed separately`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await save(ticks(400), at: start, as: "com.example.a", in: path)
    try await save(ticks(400).map { $0 / 2 + 100 }, at: start, as: "com.example.b", in: path)
    let lines = try lines(path, "--window", "all")
    #expect(lines.map { $0["source"] as? String } == ["com.example.a", "com.example.b"])
    #expect(lines.map { $0["beats"] as? Int } == [400, 400])
    #expect(try self.lines(path, "--window", "all", "--source", "com.example.b").count == 1)
  }

  @Test func `for a person there are a tachogram and a table, and a refusal has its name`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await save(ticks(800), at: start, in: path)
    let result = try Command.hrgate("hrv", "--store", path)
    #expect(result.lines.first == "Strap p  com.example.strap")
    #expect(result.output.contains("NN ms") && result.output.contains("●"))
    #expect(result.output.contains("RMSSD ms"))
    #expect(result.lines.last?.hasSuffix("refused: low-coverage") == true)
  }

  @Test func `every figure that a window has not has its reason`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await save(ticks(1000), at: start, in: path)
    // Save beats at equal intervals, like those of a paced heart. Their variability is zero.
    try await save(Array(repeating: 896, count: 800), at: start + 86_400, in: path)
    let names = Set(try Command.hrgate("hrv", "--explain").lines.map { String($0.prefix { $0 != ":" }) })
      .subtracting(["refused", "withheld"])
    for arguments in [[], ["--method", "welch"], ["--window", "1m"], ["--window", "all"]] {
      for line in try Command.hrgate(["hrv", "--store", path, "--json"] + arguments).objects()
      where line["refused"] == nil {
        let withheld = (line["withheld"] as? [String: String] ?? [:]).keys
        #expect(names.subtracting(line.keys) == Set(withheld))
      }
    }
    let table = try Command.hrgate("hrv", "--store", path, "--method", "welch").output
    #expect(table.contains("  LF/HF, α1: no-variation"))
  }

  @Test func `every figure has a line of explanation`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await save(ticks(1000), at: start, in: path)
    let explained = Set(
      try Command.hrgate("hrv", "--explain").lines.map { String($0.prefix { $0 != ":" }) })
    let printed = Set(try lines(path).flatMap(\.keys)).subtracting(["source", "start", "end"])
    #expect(printed.subtracting(explained) == [])
    #expect(printed.count > 18)
  }

  /// A strap that is touched for a second sends one measurement, with at most one interval.
  @Test(arguments: [[], [896], [0]] as [[UInt16]])
  func `a store with one message of beats has windows that are refused, and no figure`(ticks: [UInt16])
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let store = try HKHealthStore(storeAt: path)
    try await store.save(HKHeartbeatSeriesSample.beats(ticks.map(Int.init), at: start))
    for arguments in [[], ["--window", "all"], ["--method", "welch", "--correct"], ["--window", "1d"]] {
      let lines = try Command.hrgate(["hrv", "--store", path, "--json"] + arguments).objects()
      // A single beat ends no interval, and an interval of length zero leaves no window.
      let isNone = ticks.isEmpty || ticks == [0] && arguments.contains("all")
      #expect(lines.map { $0["refused"] as? String } == (isNone ? [] : ["too-few-intervals"]))
      #expect(lines.allSatisfy { $0["beats"] as? Int == 1 && $0["meanNN"] == nil && $0["rmssd"] == nil })
    }
    let table = try Command.hrgate("hrv", "--store", path)
    #expect(table.status == 0)
    #expect(
      ticks.isEmpty
        ? table.errors.contains("no stored heartbeat matches") : table.output.contains("refused: "))
    let derived = try Command.hrgate("derive", "--store", path, "--json").objects()
    #expect(derived.first?["written"] as? Int == 0)
    let samples = try Command.hrgate("samples", "--store", path, "--type", "heartRateVariabilitySDNN")
    #expect(samples.output.isEmpty)
  }

  @Test func `a store without beats is reported, and an invalid window is wrong usage`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    try await HKHealthStore(storeAt: path).acting(as: HKSource(name: "S", bundleIdentifier: "com.example.s"))
      .save(
        HKQuantitySample(
          type: HKQuantityType(.heartRate),
          quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60),
          start: Date(timeIntervalSince1970: start), end: Date(timeIntervalSince1970: start)))
    let result = try Command.hrgate("hrv", "--store", path)
    #expect(
      result.status == 0 && result.output.isEmpty && result.errors.contains("no stored heartbeat matches"))
    for window in ["0s", "5s", "2d", "every"] {
      #expect(try Command.hrgate("hrv", "--store", path, "--window", window).status == 2)
    }
  }
}
