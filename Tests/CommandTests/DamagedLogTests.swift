import Foundation
import Testing

@testable import TestSupport

/// Logs as they come from crashed recorders, full disks and wrong file names.
@Suite struct DamagedLogTests {
  private func replay(_ path: String) throws -> (status: Int32, record: [String: Any], errors: String) {
    let result = try Command.hrgate("replay", path, "--dry-run", "--json")
    return (result.status, try #require(result.objects().first), result.errors)
  }

  private func reason(_ record: [String: Any]) -> String? {
    (record["damage"] as? [String: Any])?["reason"] as? String
  }

  @Test(
    arguments: [
      ("empty", [], "empty"), ("text", Array("not a log, but a letter to the editor".utf8), "notAPacketLog"),
      ("zeros", [UInt8](repeating: 0, count: 4096), "notAPacketLog"),
    ] as [(String, [UInt8], String)])
  func `what is no log fails and says so`(name: String, bytes: [UInt8], expected: String) throws {
    let folder = try TemporaryFolder()
    let outcome = try replay(folder.file(name, bytes))
    #expect(outcome.status == 1)
    #expect(reason(outcome.record) == expected)
    #expect(outcome.record["measurements"] as? Int == 0)
    #expect(!outcome.errors.isEmpty)
  }

  @Test func `a log that is not there fails and says so`() throws {
    let outcome = try replay("/nowhere/at/all.btsnoop")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("/nowhere/at/all.btsnoop"))
  }

  @Test func `a cut log keeps its sound beginning`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("whole.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", log)
    let bytes = Array(try Data(contentsOf: URL(filePath: log)))
    let cut = try replay(folder.file("cut.btsnoop", Array(bytes.dropLast(3))))
    #expect(cut.status == 0)
    #expect(reason(cut.record) == "truncated")
    let whole = try replay(log)
    #expect(cut.record["records"] as? Int == (whole.record["records"] as? Int).map { $0 - 1 })
  }

  @Test func `a claim of absurd length ends the log there`() throws {
    let folder = try TemporaryFolder()
    let log = folder.path("whole.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", log)
    let bytes = Array(try Data(contentsOf: URL(filePath: log)))
    let claim: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16)
    let outcome = try replay(folder.file("absurd.btsnoop", bytes + claim))
    #expect(outcome.status == 0)
    #expect(reason(outcome.record)?.hasPrefix("absurdLength") == true)
    #expect((outcome.record["damage"] as? [String: Any])?["offset"] as? Int == bytes.count)
  }

  @Test func `one bad log does not keep the others from the store`() throws {
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
}
