import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

@Suite struct HeartbeatCodecTests {
  @Test func `beats of a strap take two bytes each`() {
    let beats = (1...300).map { (beat: Int) -> Heartbeat in
      Heartbeat(offset: Double(beat * 900) / 1024, precededByGap: beat % 50 == 0)
    }
    let bytes = HeartbeatCodec.encode(beats)
    #expect(bytes.first == 1)
    #expect(bytes.count == 1 + 2 * 300)
    #expect(HeartbeatCodec.decode(bytes) == beats)
  }

  @Test(
    arguments: [
      [], [0.0], [-0.0], [0, 0, 0], [1.7], [2, 1], [.leastNonzeroMagnitude], [0x1p43], [0x1p44], [1e300],
      [.greatestFiniteMagnitude], [-1], [.infinity],
    ] as [[Double]])
  func `a series is decoded bit by bit`(_ offsets: [Double]) {
    for gap in [false, true] {
      let beats = offsets.map { Heartbeat(offset: $0, precededByGap: gap) }
      let found = HeartbeatCodec.decode(HeartbeatCodec.encode(beats))
      #expect(found?.map(\.offset.bitPattern) == offsets.map(\.bitPattern))
      #expect(found?.map(\.precededByGap) == beats.map(\.precededByGap))
    }
  }

  @Test func `random series are decoded bit by bit`() {
    var generator = SeededGenerator(seed: 1)
    for round in 0..<2000 {
      let isTicks = round % 2 == 0
      var offset = 0.0
      let beats = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        offset +=
          isTicks
          ? Double(Int.random(in: 0...5000, using: &generator)) / 1024
          : Double.random(in: 0...3, using: &generator)
        return Heartbeat(offset: offset, precededByGap: Bool.random(using: &generator))
      }
      let bytes = HeartbeatCodec.encode(beats)
      #expect(HeartbeatCodec.decode(bytes) == beats)
      if isTicks { #expect(bytes.first == 1) }
    }
  }

  @Test func `malicious bytes never trap`() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<50_000 {
      var bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...3, using: &generator) }
      if let beats = HeartbeatCodec.decode(bytes) { #expect(beats.count <= bytes.count) }
    }
  }

  @Test func `truncated and extended series are damaged`() {
    let beats = [0.1, 0.2, 0.3].map { Heartbeat(offset: $0, precededByGap: false) }
    let bytes = HeartbeatCodec.encode(beats)
    #expect(bytes.first == 2)
    for length in 0..<bytes.count { #expect(HeartbeatCodec.decode(Array(bytes[..<length])) == nil) }
    #expect(HeartbeatCodec.decode(bytes + [0]) == nil)
    #expect(HeartbeatCodec.decode([2] + Array(repeating: 0xFF, count: 9) + [1]) == nil)
    #expect(HeartbeatCodec.decode([1, 0x80]) == nil)
    #expect(HeartbeatCodec.decode([3]) == nil)
  }

  @Test func `damaged bytes in the store are reported with their series`() async throws {
    let database = try SampleDatabase.inMemory()
    let sample = SampleRecord(
      uuid: .init(), type: "series", start: 0, end: 1, provenance: provenance(),
      content: .heartbeatSeries(count: 1, beats: [9, 9]))
    _ = try await database.save([sample])
    await #expect(throws: StorageError.damagedSeries(sample.uuid)) {
      try await database.heartbeats(of: sample.uuid)
    }
    #expect(try await database.heartbeats(of: .init()) == nil)
  }
}
