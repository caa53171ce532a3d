import Foundation
import Testing

@testable import TestSupport

/// Tests `hrgate simulate` with different recorders, and `hrgate replay` of the logs.
@Suite struct RecordedSessionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func simulate(_ name: String, _ arguments: String...) throws -> String {
    let log = folder.path(name)
    _ = try Command.hrgate(["simulate", "--duration", "10m", "--seed", "5", "-o", log] + arguments)
    return log
  }

  private func replay(_ logs: [String]) throws -> (samples: Samples, objects: [[String: Any]], errors: String)
  {
    let store = folder.path("\(UUID()).sqlite")
    let result = try Command.hrgate(["replay", "--json", "--store", store] + logs)
    return try (Samples(store: store), result.objects(), result.errors)
  }

  @Test func `a rotated log in any order gives exactly the same samples as the whole`() throws {
    let whole = try replay([simulate("whole.btsnoop", "--straps", "3")])
    _ = try simulate("part.btsnoop", "--straps", "3", "--rotate", "90s")
    let parts = (1...7).map { folder.path("part-00\($0).btsnoop") }
    let rotated = try replay(parts.reversed())
    #expect(rotated.samples.identifiers == whole.samples.identifiers)
    #expect(rotated.samples.heartRates.count > 1500)
    #expect(rotated.objects.map { $0["log"] as? String } == parts)
    #expect(rotated.errors.contains("read in order of time"))
    for object in rotated.objects {
      let stored = (object["stored"] as? [String: Int])?["HKQuantityTypeIdentifierHeartRate"] ?? 0
      let rejected = (object["rejected"] as? [String: Int] ?? [:]).values.reduce(0, +)
      #expect(object["measurements"] as? Int == stored + rejected)
    }
  }

  @Test func `a strap's own log is stored under its address, and the output says so`() throws {
    let log = try simulate("strap.btsnoop", "--recorder", "strap")
    let received = try replay([simulate("host.btsnoop")])
    let sent = try replay([log])
    #expect(sent.samples.identifiers == received.samples.identifiers)
    #expect(sent.objects[0]["served"] as? Int == sent.objects[0]["measurements"] as? Int)
    let text = try Command.hrgate("replay", "--dry-run", log).output
    #expect(text.contains("recorded on the peripheral"))
  }

  @Test func `lost acknowledgments duplicate no measurement`() throws {
    let sound = try replay([simulate("sound.pcap", "--recorder", "air", "--straps", "2")])
    let lost = try replay([
      simulate("lost.pcap", "--recorder", "air", "--straps", "2", "--lost-acknowledgements", "30")
    ])
    #expect(lost.samples.startTimes.count == sound.samples.startTimes.count)
    #expect((lost.objects[0]["anomalies"] as? [String: Int])?["retransmission"] ?? 0 > 300)
  }

  @Test(
    arguments: [
      ["--recorder", "strap", "--straps", "2"], ["--lost-acknowledgements", "5"],
      ["--recorder", "air", "--lost-acknowledgements", "101"], ["--rotate", "1m", "-o", "-"],
    ])
  func `an impossible recording is a usage error`(arguments: [String]) throws {
    let output = arguments.contains("-o") ? [] : ["-o", folder.path("no")]
    #expect(try Command.hrgate(["simulate"] + arguments + output).status == 2)
  }

  @Test func `a handle that no heart-rate monitor can have is not recommended`() throws {
    // Data of a treadmill from mid-connection, with reserved bits and extra bytes at the end.
    var log = btsnoopLog(datalink: 1002)
    for speed in 0..<20 as Range<UInt8> {
      log += btsnoopRecord(
        flags: 1, at: 1_700_000_000_000_000 + Int64(speed) * 1_000_000,
        [2, 0x40, 0x20, 12, 0, 8, 0, 4, 0, 0x1B, 0x21, 0, 0xE4, 90 + speed, 1, 2, 3])
    }
    let path = try folder.file("treadmill.btsnoop", log)
    let result = try Command.hrgate("replay", "--dry-run", path)
    #expect(result.errors.contains("0 of its values could be heart rates, 20 could not"))
    #expect(!result.errors.contains("--measurement-handle"))
    let named = try Command.hrgate("replay", "--dry-run", path, "--measurement-handle", "0x21")
    #expect(named.errors.contains("20 values of handle 0x0021 cannot be heart rates"))
  }
}
