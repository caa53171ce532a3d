import Bluetooth
import Foundation
import PacketLog
import PacketReplay
import Testing

@testable import StrapSimulator
@testable import TestSupport

/// Compares the events of a simulation with those of a replay of its packet log.
@Suite struct SimulationTests {
  private let start = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

  private func description(_ event: CentralEvent) -> String {
    switch event {
    case .notified(let notification):
      "notified \(notification.peripheral) \(notification.characteristic) \(notification.value) \(notification.receiptTime.microsecondsSince1970)"
    case .connected(let peripheral, let time): "connected \(peripheral) \(time.microsecondsSince1970)"
    case .disconnected(let peripheral, let time): "disconnected \(peripheral) \(time.microsecondsSince1970)"
    case .valueRead(let peripheral, let characteristic, let value):
      "read \(peripheral) \(characteristic) \(value)"
    default: "\(event)"
    }
  }

  private func descriptions(_ central: some Central) async throws -> [String] {
    var result: [String] = []
    for try await batch in central.events() { result += batch.map(description) }
    return result
  }

  private func log(_ straps: [StrapProfile], _ duration: Duration, seed: UInt64 = 1, to path: String) throws
    -> StrapLog.Summary
  {
    try StrapLog.write(to: path, straps: straps, duration: duration, seed: seed, start: start)
  }

  @Test func `a central and the replay of the log give the same events`() async throws {
    let folder = try TemporaryFolder()
    let straps = (0..<5).map(StrapProfile.sample(index:))
    let summary = try log(straps, .seconds(1800), to: folder.path("log"))
    let replay = PacketReplayCentral(path: folder.path("log"))
    let replayed = try await descriptions(replay)
    let simulated = try await descriptions(
      SimulatedCentral(straps: straps, duration: .seconds(1800), seed: 1, start: start))
    #expect(replayed.count > 7000)
    // Compare only the first difference, which is easier to read in a failure than two long lists.
    let difference = zip(replayed, simulated).first { $0 != $1 }
    #expect(difference == nil)
    #expect(replayed.count == simulated.count)
    #expect(replay.tally.records == summary.records)
    #expect(replay.tally.notifications == summary.notifications)
    #expect(replay.tally.anomalies.isEmpty)
    #expect(replay.tally.unresolved.isEmpty)
  }

  @Test func `equal arguments give equal logs, and another seed gives another log`() throws {
    func bytes(seed: UInt64) throws -> [UInt8] {
      let folder = try TemporaryFolder()
      _ = try log([.sample(index: 0), .sample(index: 1)], .seconds(300), seed: seed, to: folder.path("log"))
      return Array(try Data(contentsOf: URL(filePath: folder.path("log"))))
    }
    #expect(try bytes(seed: 1) == bytes(seed: 1))
    #expect(try bytes(seed: 1) != bytes(seed: 2))
  }

  @Test func `time never goes back`() throws {
    var last = start
    for event in SimulatedSession(
      straps: (0..<8).map(StrapProfile.sample(index:)), duration: .seconds(1200), seed: 9, start: start)
    {
      #expect(event.time >= last)
      last = event.time
    }
  }

  @Test func `a lost link ends with its timeout, and is continued without discovery`() throws {
    var strap = StrapProfile.sample(index: 0)
    strap.contactLosses = .never
    strap.linkLosses = .at([100..<115])
    var story: [String] = []
    var gap: Range<Double>?
    var lastFrame = 0.0
    for event in SimulatedSession(straps: [strap], duration: .seconds(300), seed: 2, start: start) {
      let time = Double(event.time.microseconds(since: start)) / 1e6
      switch event.event {
      case .connected: story.append("connected")
      case .disconnected(let reason): story.append("disconnected \(reason)")
      case .requested(let pdu) where story.count > 2: story.append("asked \(pdu[0])")
      case .measured:
        if time - lastFrame > 5, lastFrame > 0 { gap = lastFrame..<time }
        lastFrame = time
      default: break
      }
    }
    #expect(story == ["connected", "disconnected 8", "connected", "asked 18", "disconnected 19"])
    let silence = try #require(gap)
    #expect((98...100.2).contains(silence.lowerBound))
    #expect((115...120).contains(silence.upperBound))
  }

  @Test func `frames are sent in connection events, about once a period`() throws {
    var strap = StrapProfile.sample(index: 0)
    strap.linkLosses = .never
    let times = SimulatedSession(straps: [strap], duration: .seconds(600), seed: 3, start: start)
      .filter { if case .measured = $0.event { true } else { false } }
      .map { $0.time.microseconds(since: start) }
    let gaps = zip(times.dropFirst(), times).map(-)
    #expect(gaps.allSatisfy { (850_000...1_150_000).contains($0) })
    #expect(Set(gaps).count > 100)
    #expect(abs(Double(gaps.reduce(0, +)) / Double(gaps.count) - 1_000_000) < 200)
  }

  @Test func `a log that cannot be written is an error`() {
    #expect(throws: PacketLogError.self) {
      try StrapLog.write(
        to: "/nowhere/at/all", straps: [.sample(index: 0)], duration: .seconds(1), seed: 1, start: start)
    }
    #expect(throws: PacketLogError.self) {
      try StrapLog.write(
        to: "/dev/full", straps: [.sample(index: 0)], duration: .seconds(1000), seed: 1, start: start)
    }
  }

  @Test func `the bundled recording is reproduced by the command in its README`() throws {
    let bundled = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Recordings/demo.btsnoop")
    let folder = try TemporaryFolder()
    _ = try StrapLog.write(
      to: folder.path("log"), straps: [.sample(index: 0)], duration: .seconds(600), seed: 23,
      start: ReceiptTime(microsecondsSince1970: 1_767_261_600_000_000))
    #expect(try Data(contentsOf: bundled) == Data(contentsOf: URL(filePath: folder.path("log"))))
  }
}
