import Bluetooth
import Foundation
import Testing

@testable import TestSupport

/// Replays a log in which each measurement comes from another address, as at a very busy or hostile place.
@Suite struct BusyPlaceTests {
  private static let addresses = 600

  /// Returns a log in which each peer connects, measures once and disconnects.
  private func log() -> [UInt8] {
    var log = btsnoopLog(datalink: 1002)
    for number in 0..<Self.addresses {
      let time = 1_700_000_000_000_000 + Int64(number) * 10_000
      let address: [UInt8] = [UInt8(number & 0xFF), UInt8(number >> 8), 3, 4, 5, 0xC6]
      log += btsnoopRecord(
        flags: 3, at: time,
        [0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x01] + address + [24, 0, 0, 0, 72, 0, 0])
      let measurement: [UInt8] = [0x1B, 0x10, 0x00, 0x00, 60 + UInt8(number % 60)]
      log += btsnoopRecord(flags: 1, at: time + 1, [0x02, 0x40, 0x20, 9, 0, 5, 0, 4, 0] + measurement)
      log += btsnoopRecord(flags: 3, at: time + 2, [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13])
    }
    return log
  }

  @Test func `the output does not grow with the number of addresses`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("busy.btsnoop", log())
    for arguments in [["--measurement-handle", "0x0010"], []] {
      let result = try Command.hrgate(["replay", path, "--store", folder.path("s.sqlite")] + arguments)
      #expect(result.status == 0)
      #expect((1...30).contains(result.errors.split(separator: "\n").count))
      #expect(result.lines.count <= 30)
      let isNamed = !arguments.isEmpty
      #expect(result.output.contains("other monitors: \(Self.addresses - 20) measurements") == isNamed)
      #expect(result.errors.contains("more handles are used like this") == isNamed)
    }
    let record = try #require(
      Command.hrgate(
        "replay", path, "--store", folder.path("s.sqlite"), "--measurement-handle", "0x0010", "--json"
      ).objects().first)
    #expect(record["duplicates"] as? Int == Self.addresses)
    #expect((record["monitors"] as? [Any])?.count == Self.addresses)
  }

  @Test func `handles that are not listed are counted`() throws {
    let folder = try TemporaryFolder()
    let result = try Command.hrgate("replay", folder.file("busy.btsnoop", log()), "--dry-run")
    // Count the handles that are listed with a hint. Each of them sent one notification.
    let listed = result.errors.components(separatedBy: "if it is Heart Rate Measurement").count - 1
    #expect(listed == 20)
    #expect(result.errors.contains("other handles notified \(Self.addresses - listed) times"))
  }
}
