import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests that after a kill at any time each sent frame is stored or in a gap, and the beats of stored frames
/// are stored too.
@Suite struct KilledMeasuringTests {
  private struct Frame {
    let time: Int64
    let isStored: Bool
    let intervals: [Int]
  }

  /// Returns the frames that straps sent, by address and in order.
  private func frames(_ lines: [String]) -> [String: [Frame]] {
    var frames: [String: [Frame]] = [:]
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 4, let time = Int64(words[1]) else { continue }
      frames[String(words[0]), default: []].append(
        Frame(
          time: time, isStored: words[2] != "-",
          intervals: words[3].split(separator: ",").compactMap { Int($0) }))
    }
    return frames
  }

  private func stored(_ type: String, of address: String, in database: SampleDatabase) async throws
    -> [SampleRecord]
  {
    try await database.samples(
      .all([.type(type), .sources(["org.hrgate.monitor.\(address)"])]), order: [.start(ascending: true)])
  }

  /// Returns the intervals of all series of a strap, in order and in ticks.
  private func intervals(of address: String, in database: SampleDatabase) async throws -> [Int] {
    var intervals: [Int] = []
    for series in try await stored("HKDataTypeIdentifierHeartbeatSeries", of: address, in: database) {
      let beats = try #require(try await database.heartbeats(of: series.uuid))
      guard case .heartbeatSeries(beats.count, _) = series.content else {
        Issue.record("a series has the wrong number of beats")
        continue
      }
      for (beat, next) in zip(beats, beats.dropFirst()) {
        #expect(!next.precededByGap)
        intervals.append(Int(((next.offset - beat.offset) * 1024).rounded()))
      }
    }
    return intervals
  }

  private func account(
    _ sent: [String: [Frame]], in database: SampleDatabase, isMissingRecorded: Bool
  ) async throws {
    let gaps = try await database.gaps(MonitorGapFilter())
    for (address, frames) in sent {
      let rates = Set(
        try await stored("HKQuantityTypeIdentifierHeartRate", of: address, in: database).map(\.start))
      let kept = frames.filter { $0.isStored && rates.contains($0.time) }
      #expect(kept.count == rates.count, "a heart rate was not sent")
      #expect(try await intervals(of: address, in: database) == kept.flatMap(\.intervals))
      guard isMissingRecorded else { continue }
      let own = gaps.filter { $0.monitor.text == address }
      for frame in frames where frame.isStored && !rates.contains(frame.time) {
        #expect(own.contains { $0.start < frame.time && frame.time < $0.end ?? .max })
      }
      for time in rates { #expect(!own.contains { $0.start < time && time < $0.end ?? .max }) }
    }
  }

  @Test(.timeLimit(.minutes(30)), arguments: 0..<(isLongRun ? 20 : 1) as Range<UInt64>)
  func `frames and beats that were sent are stored or in a gap after every kill`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    try await withTemporaryDirectory { directory in
      let path = directory + "/health.sqlite"
      var said: [String] = []
      var start = Int64(Date().timeIntervalSince1970) * 1_000_000
      for life in 0...15 {
        let gateway = try ClientProcess(
          ["measure", path, "\(seed * 100 + UInt64(life))", "\(start)"], output: directory + "/\(life)")
        // Kill the gateway at a random moment between its first frames and minutes later, after several
        // series.
        let few = Int.random(in: 1...1200, using: &generator)
        try #require(await eventually { try gateway.lines().count >= few })
        if life < 15 { gateway.kill() } else { #expect(try gateway.end() == 0) }
        said += try gateway.lines()
        let sent = frames(said)
        let last = try #require(sent.values.compactMap(\.last?.time).max())
        start = last + 5_000_000
        let database = try SampleDatabase.open(at: path, .none)
        // The gap of the frames that a killed gateway missed is recorded by the next run, so only the last
        // run has all gaps.
        try await account(sent, in: database, isMissingRecorded: life == 15)
        try database.close()
      }
      let database = try SampleDatabase.open(at: path, .none)
      #expect(try await database.integrity() == ["ok"])
      try database.close()
      #expect(try StoreUpkeep.check(at: path).findings.isEmpty)
    }
  }
}
