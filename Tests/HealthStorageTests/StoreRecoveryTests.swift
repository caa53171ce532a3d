import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// What is saved of a damaged store.
@Suite struct StoreRecoveryTests {
  private func records(_ path: String) async throws -> [UUID: SampleRecord] {
    let store = try SampleDatabase.open(at: path)
    var records: [UUID: SampleRecord] = [:]
    for record in try await store.reduce(
      into: [SampleRecord](), .everything, order: [], limit: nil, heartbeats: .beats,
      {
        $0.append($1)
      })
    {
      records[record.uuid] = record
    }
    try store.close()
    return records
  }

  private func makeStore(_ path: String, _ count: Int) async throws {
    let store = try SampleDatabase.open(at: path)
    let all = mixedRecords(count)
    for start in stride(from: 0, to: count, by: 100) {
      try await store.save(Array(all[start..<min(count, start + 100)]))
    }
    try await store.delete([all[3].uuid], savedBy: "s")
    try store.close()
  }

  @Test func `all of a sound store is saved`() async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory + "/s", 500)
      let recovered = try StoreUpkeep.recover(directory + "/s", to: directory + "/new", .ofTests)
      #expect(recovered.damaged == [] && recovered.dropped.values.allSatisfy { $0 == 0 })
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      #expect(try await records(directory + "/new") == records(directory + "/s"))
    }
  }

  /// One page of the many is lost: so are its rows, and no others.
  @Test func `what is around a damaged page is saved`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await makeStore(path, 3000)
      let all = try await records(path)
      var bytes = try Data(contentsOf: URL(filePath: path))
      let page = try #require(leaf(of: bytes, holding: all.count))
      bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xA5, count: 4096))
      try bytes.write(to: URL(filePath: path))
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(recovered.damaged.contains("sample"))
      let saved = try await records(directory + "/new")
      #expect(saved.count > all.count - 150 && saved.count < all.count)
      #expect(saved.allSatisfy { all[$0.key] == $0.value })
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
    }
  }

  /// A leaf of a table in the middle of the file.
  private func leaf(of bytes: Data, holding count: Int) -> Int? {
    let pages = bytes.count / 4096
    return (pages / 3..<pages).first { bytes[$0 * 4096] == 0x0D && bytes[$0 * 4096 + 4] > 20 }
  }

  @Test func `whatever is damaged, what is saved is sound, and nothing ends the program`() async throws {
    let count = isLongRun ? 300 : 40
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await makeStore(path, 2000)
      let all = try await records(path)
      let sound = try Data(contentsOf: URL(filePath: path))
      var random = SeededGenerator(seed: 16)
      var (refused, share) = (0, 0.0)
      var (started, found) = (0, 0)
      for number in 0..<count {
        try damaged(sound, &random).write(to: URL(filePath: path))
        let target = directory + "/new\(number)"
        let (isRefused, findings) = try look(at: path)
        started += isRefused ? 0 : 1
        found += findings?.isEmpty == true ? 0 : 1
        // What a gateway is kept from, a person can find out.
        #expect(!isRefused || findings?.isEmpty != true, "damage \(number)")
        do {
          _ = try StoreUpkeep.recover(path, to: target, .ofTests)
        } catch is StorageFailure {
          refused += 1
          #expect(!FileManager.default.fileExists(atPath: target))
          continue
        }
        #expect(try StoreUpkeep.check(at: target).findings == [], "damage \(number)")
        let saved = try await records(target)
        if findings == [] { #expect(saved.count == all.count, "damage \(number)") }
        share += Double(saved.filter { all[$0.key] == $0.value }.count) / Double(all.count)
        for suffix in ["", "-wal", "-shm"] { unlink(target + suffix) }
      }
      // Without the pages of the schema nothing is known.
      #expect(refused < count / 4)
      #expect(share / Double(count - refused) > 0.75)
      // A bit of a value is no damage that anybody can see.
      #expect(found > count / 2 && started < count * 2 / 3)
    }
  }

  /// Whether `run` refuses it, and what `store check` finds; nil where that is no store any more.
  private func look(at path: String) throws -> (isRefused: Bool, findings: [StoreFinding]?) {
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    var isRefused = false
    do {
      try StoreUpkeep.refuseDamaged(path)
    } catch is StorageFailure {
      isRefused = true
    }
    do {
      return (isRefused, try StoreUpkeep.check(at: path).findings)
    } catch is StorageFailure {
      return (isRefused, nil)
    }
  }

  /// A bit, a few octets, a page or the end.
  private func damaged(_ sound: Data, _ random: inout SeededGenerator) -> Data {
    var bytes = sound
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1:
      for index in place..<min(bytes.count, place + 64) {
        bytes[index] = .random(in: 0...255, using: &random)
      }
    case 2:
      let page = place / 4096 * 4096
      bytes.replaceSubrange(page..<page + 4096, with: Data(repeating: 0, count: 4096))
    case 3:
      for _ in 0..<20 {
        bytes[Int.random(in: 4096..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
    default: bytes = bytes.prefix(max(4096, place))
    }
    return bytes
  }
}
