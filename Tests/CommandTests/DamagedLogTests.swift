import Foundation
import Testing

@testable import TestSupport

/// Replays logs as left by crashed recorders, full disks and wrong file names.
@Suite struct DamagedLogTests {
  private func replay(_ path: String) throws -> (status: Int32, record: [String: Any], errors: String) {
    let result = try Command.hrgate("replay", path, "--dry-run", "--json")
    return (result.status, try #require(result.objects().first), result.errors)
  }

  private func reason(_ record: [String: Any]) -> String? {
    (record["damage"] as? [String: Any])?["reason"] as? String
  }

  private func message(_ record: [String: Any]) -> String? {
    (record["damage"] as? [String: Any])?["message"] as? String
  }

  @Test(
    arguments: [
      ("empty", [], "empty"), ("text", Array("not a log, but a letter to the editor".utf8), "notAPacketLog"),
      ("zeros", [UInt8](repeating: 0, count: 4096), "notAPacketLog"),
    ] as [(String, [UInt8], String)])
  func `a file that is not a log is an error`(name: String, bytes: [UInt8], expected: String) throws {
    let folder = try TemporaryFolder()
    let outcome = try replay(folder.file(name, bytes))
    #expect(outcome.status == 1)
    #expect(reason(outcome.record) == expected)
    #expect(outcome.record["measurements"] as? Int == 0)
    #expect(outcome.record["format"] as? String == "unknown")
    #expect(!outcome.errors.isEmpty)
    #expect(!outcome.errors.contains("offset"), "nothing was read")
  }

  @Test func `a missing log is an error`() throws {
    let outcome = try replay("/nowhere/at/all.btsnoop")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/nowhere/at/all.btsnoop"))
    #expect(message(outcome.record) == "No such file or directory")
  }

  @Test func `the intact beginning of a truncated log is read`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("whole.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", log)
    let bytes = Array(try Data(contentsOf: URL(filePath: log)))
    let cut = try replay(folder.file("cut.btsnoop", Array(bytes.dropLast(3))))
    #expect(cut.status == 1)
    #expect(reason(cut.record) == "truncated")
    let whole = try replay(log)
    #expect(whole.status == 0)
    let records = try #require(whole.record["records"] as? Int) - 1
    #expect(cut.record["records"] as? Int == records)
    #expect(cut.errors.contains("the log ends inside the record at offset"))
    #expect(cut.errors.contains("the \(records) records before it were read"))
  }

  @Test func `a record with an absurd length ends the log`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("whole.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", log)
    let bytes = Array(try Data(contentsOf: URL(filePath: log)))
    let claim: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16)
    let outcome = try replay(folder.file("absurd.btsnoop", bytes + claim))
    #expect(outcome.status == 1)
    #expect(reason(outcome.record) == "absurdLength")
    #expect(
      message(outcome.record)
        == "the record at offset \(bytes.count) is damaged: it claims to have 2147483647 bytes")
    #expect((outcome.record["damage"] as? [String: Any])?["offset"] as? Int == bytes.count)
  }

  @Test func `one bad log does not keep the others out of the store`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("good.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", log)
    let result = try Command.hrgate(
      "replay", folder.file("bad", [1, 2, 3]), log, "--store", folder.path("s.sqlite"), "--json")
    #expect(result.status == 1)
    let objects = try result.objects()
    #expect(objects.count == 2)
    #expect(objects.last?["measurements"] as? Int ?? 0 > 50)
  }

  @Test func `the reason of a damaged log is one word, and the message a sentence`() throws {
    let folder = try TemporaryFolder()
    var block = pcapngEnhancedPacket(timestamp: 0, [0x01, 0x03, 0x0C, 0x00])
    block[4] = 37
    let outcome = try replay(
      folder.file("damaged.pcapng", pcapngSection() + pcapngInterface(linkType: 187) + block))
    #expect(outcome.status == 1)
    #expect(reason(outcome.record) == "malformed")
    #expect(message(outcome.record)?.hasSuffix("a pcapng block has the invalid length 37") == true)
    #expect(outcome.record["format"] as? String == "pcapng")
  }

  @Test func `a capture without Bluetooth is an error that says what it contains`() throws {
    let folder = try TemporaryFolder()
    let ethernet =
      pcapngSection() + pcapngInterface(linkType: 1) + pcapngEnhancedPacket(timestamp: 1, [1, 2])
    let outcome = try replay(folder.file("ethernet.pcapng", ethernet))
    #expect(outcome.status == 1)
    #expect(reason(outcome.record) == "unsupportedDatalink")
    #expect(outcome.errors.contains("network traffic"))
  }

  @Test func `records without a time are counted, with a warning`() throws {
    let folder = try TemporaryFolder()
    let simple = pcapngBlock(3, [4, 0, 0, 0] + [0x01, 0x03, 0x0C, 0x00])
    let timed = pcapngEnhancedPacket(timestamp: 1_700_000_000_000_000, [0x01, 0x03, 0x0C, 0x00])
    let start = pcapngSection() + pcapngInterface(linkType: 187)
    let some = try replay(folder.file("some.pcapng", start + simple + timed + simple))
    #expect(some.status == 0)
    #expect(some.record["recordsWithoutWallTime"] as? Int == 2)
    #expect(some.errors.contains("2 of 3 records have no time"))
    let all = try replay(folder.file("all.pcapng", start + simple))
    #expect(all.errors.contains("no wall time; its samples start at 1970-01-01"))
    let none = try replay(folder.file("none.pcapng", start + timed))
    #expect(none.record["recordsWithoutWallTime"] == nil && none.errors.isEmpty)
  }

  @Test func `a gzip-compressed log is read`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("log.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", log)
    let whole = try replay(log).record
    _ = try Command.tool("gzip", [log])
    let packed = try replay(log + ".gz")
    #expect(packed.status == 0)
    #expect(packed.record["measurements"] as? Int == whole["measurements"] as? Int)
    #expect(packed.record["stored"] as? [String: Int] == whole["stored"] as? [String: Int])
  }
}
