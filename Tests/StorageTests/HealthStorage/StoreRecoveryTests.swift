import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests recovery of damaged stores.
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

  @Test func `a sound store is recovered completely`() async throws {
    try await withTemporaryDirectory { directory in
      try await makeStore(directory + "/s", 500)
      let recovered = try StoreUpkeep.recover(directory + "/s", to: directory + "/new", .ofTests)
      #expect(recovered.damaged == [] && recovered.dropped.values.allSatisfy { $0 == 0 })
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      #expect(try await records(directory + "/new") == records(directory + "/s"))
    }
  }

  /// Damages one of many pages. Only the rows of this page are lost.
  @Test func `the rows around a damaged page are recovered`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await makeStore(path, 3000)
      let all = try await records(path)
      var bytes = try Data(contentsOf: URL(filePath: path))
      let page = try #require(leaf(of: bytes, holding: all.count))
      bytes.replaceSubrange(
        page * SampleDatabase.pageSize..<(page + 1) * SampleDatabase.pageSize,
        with: Data(repeating: 0xA5, count: SampleDatabase.pageSize))
      try bytes.write(to: URL(filePath: path))
      // The recovered rows are the ones that `store check` could read.
      let surveys = try StoreUpkeep.check(at: path).tables
      let samples = try #require(surveys.first { $0.table == "sample" })
      #expect(!samples.isWhole && samples.holes.count == 1)
      let hole = try #require(samples.holes.first)
      // The range of IDs may have one more than the samples, because one sample was deleted.
      let ids = Int(try #require(hole.next) - hole.first) + samples.rows
      #expect((all.count...all.count + 1).contains(ids))
      #expect(hole.after != nil && (hole.before != nil || hole.first == 1))
      #expect(surveys.filter(\.isWhole).count == surveys.count - 1)
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(recovered.damaged.contains("sample"))
      #expect(recovered.kept["sample"] == samples.rows)
      let saved = try await records(directory + "/new")
      #expect(saved.count > all.count - 150 && saved.count < all.count)
      #expect(saved.allSatisfy { all[$0.key] == $0.value })
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
    }
  }

  @Test func `a truncated store is surveyed without writing to it`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await makeStore(path, 3000)
      let sound = try Data(contentsOf: URL(filePath: path))
      for pages in [sound.count / SampleDatabase.pageSize / 2, sound.count / SampleDatabase.pageSize - 1] {
        let cut = sound.prefix(pages * SampleDatabase.pageSize)
        try cut.write(to: URL(filePath: path))
        let (findings, size, tables) = try StoreUpkeep.check(at: path)
        #expect(findings.map(\.kind) == [.file] && size == nil)
        #expect(tables.contains { $0.isWhole && $0.rows > 0 })
        let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
        for table in tables where table.isWhole {
          #expect(!recovered.damaged.contains(table.table), "\(table)")
        }
        #expect(recovered.damaged.isSubset(of: tables.filter { !$0.isWhole }.map(\.table)))
        #expect(try Data(contentsOf: URL(filePath: path)) == cut)
        for suffix in ["", "-wal", "-shm"] { unlink(directory + "/new" + suffix) }
      }
    }
  }

  /// A small table is restored from its index.
  @Test(arguments: ["activity_goal", "device"])
  func `a damaged definition of a table costs that table only, and is reported`(table: String) async throws {
    try await withTemporaryDirectory { directory in
      let (path, copy) = (directory + "/s", directory + "/copy")
      try await makeStore(path, 300)
      let all = try await records(path)
      try StoreUpkeep.backUp(path, to: copy)
      var bytes = try Data(contentsOf: URL(filePath: copy))
      let definition = try #require(bytes.firstRange(of: Data("CREATE TABLE \(table) ".utf8)))
      bytes[definition.lowerBound] ^= 1
      try bytes.write(to: URL(filePath: copy))
      let recovered = try StoreUpkeep.recover(copy, to: directory + "/new", .ofTests)
      #expect(recovered.damaged == (table == "device" ? [] : [table]))
      #expect(try await records(directory + "/new") == all)
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
    }
  }

  /// SQLite rejects a file with a damaged header, or treats it as empty.
  @Test(arguments: [1, 2] as [UInt8])
  func `a store with a damaged header is recovered completely, and the damage is reported`(
    format: UInt8
  ) async throws {
    try await withTemporaryDirectory { directory in
      let (path, new) = (directory + "/s", directory + "/new")
      try await makeStore(path, 300)
      let all = try await records(path)
      // Use a copy without a write-ahead log, whose copy of the first page would replace the damaged page.
      let damaged = directory + "/damaged"
      try StoreUpkeep.backUp(path, to: damaged)
      var sound = try Data(contentsOf: URL(filePath: damaged))
      // Test both journal modes: that of a copy, and that of a gateway's store (file format, §1.3.3).
      sound.replaceSubrange(18..<20, with: [format, format])
      func write(_ bytes: Data) throws {
        for name in [new, damaged] { for suffix in ["", "-wal", "-shm"] { unlink(name + suffix) } }
        try bytes.write(to: URL(filePath: damaged))
      }
      for offset in [0, 5, 15, 16, 17, 18, 19, 20, 21, 23, 28, 29, 30, 31, 47, 59, 68, 71, 100] {
        for bit in (isLongRun ? [0, 7] : [0]) as [UInt8] {
          var bytes = sound
          bytes[offset] ^= 1 << bit
          try write(bytes)
          let what = "bit \(bit) of byte \(offset)"
          // The check must find all samples or report the damage.
          do {
            let (findings, size, _) = try StoreUpkeep.check(at: damaged)
            #expect(!findings.isEmpty || size?.samples == all.count, "\(what)")
          } catch StorageError.damaged(damaged, _) {
          }
          _ = try StoreUpkeep.recover(damaged, to: new, .ofTests)
          #expect(try Data(contentsOf: URL(filePath: damaged)) == bytes, "\(what)")
          #expect(try await records(new) == all, "\(what)")
        }
      }
      // A file with another program's application ID is not a store.
      sound.replaceSubrange(68..<72, with: Data(count: 4))
      try write(sound)
      #expect(throws: StorageError.notASampleDatabase(path: damaged, found: 0)) {
        try StoreUpkeep.recover(damaged, to: new, .ofTests)
      }
    }
  }

  @Test(arguments: [512, 65_536])
  func `a valid header with another page size is not changed`(pageSize: Int) async throws {
    try await withTemporaryDirectory { directory in
      let (path, copy) = (directory + "/s", directory + "/copy")
      try await makeStore(path, 300)
      try StoreUpkeep.backUp(path, to: copy)
      try StoreLock.execute("PRAGMA page_size = \(pageSize); VACUUM", in: copy)
      #expect(StoreHeader(of: copy)?.pageSize == pageSize && StoreHeader.damage(copy) == nil)
      _ = try StoreUpkeep.recover(copy, to: directory + "/new", .ofTests)
      #expect(try await records(directory + "/new") == records(path))
    }
  }

  @Test(arguments: [SampleDatabase.pageSize, 4096])
  func `a header without a page size gets the one that matches the file`(pageSize: Int) async throws {
    try await withTemporaryDirectory { directory in
      let (path, copy) = (directory + "/s", directory + "/copy")
      try await makeStore(path, 300)
      try StoreUpkeep.backUp(path, to: copy)
      try StoreLock.execute("PRAGMA page_size = \(pageSize); VACUUM", in: copy)
      var bytes = try Data(contentsOf: URL(filePath: copy))
      bytes[16] |= 0x18
      try bytes.write(to: URL(filePath: copy))
      #expect(StoreHeader(of: copy)?.pageSize == pageSize)
      _ = try StoreUpkeep.recover(copy, to: directory + "/new", .ofTests)
      #expect(try await records(directory + "/new") == records(path))
    }
  }

  /// Returns the number of a leaf page in the middle of the file.
  private func leaf(of bytes: Data, holding count: Int) -> Int? {
    let pages = bytes.count / SampleDatabase.pageSize
    return (pages / 3..<pages).first {
      bytes[$0 * SampleDatabase.pageSize] == 0x0D && bytes[$0 * SampleDatabase.pageSize + 4] > 20
    }
  }

  /// Kinds of damage to a file.
  enum Damage: CaseIterable {
    case bit, bytes, page, scattered, cut

    /// Bounds for a hundred stores with this damage. `found`: the minimum number in which `store check` finds
    /// a problem. `started`: the maximum number on which a gateway starts. `refused`: the maximum number that
    /// cannot be recovered, because the pages of the schema are lost. `share`: the minimum share of samples
    /// that is recovered from the other stores.
    ///
    /// A changed bit or byte may turn a value into another valid one, which cannot be detected. A lost page
    /// or a truncated end is always found.
    var bounds: (found: Int, started: Int, refused: Int, share: Double) {
      switch self {
      case .bit: (20, 100, 5, 0.95)
      case .bytes: (40, 60, 25, 0.95)
      case .scattered: (100, 25, 50, 0.85)
      case .page: (100, 0, 25, 0.9)
      case .cut: (100, 0, 75, 0.2)
      }
    }
  }

  @Test(arguments: Damage.allCases)
  func `any damage leads to a sound recovered store, without a crash`(kind: Damage) async throws {
    let count = isLongRun ? 60 : 10
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await makeStore(path, 2000)
      let all = try await records(path)
      let sound = try Data(contentsOf: URL(filePath: path))
      var random = SeededGenerator(seed: 16)
      var (refused, share) = (0, 0.0)
      var (started, found) = (0, 0)
      for number in 0..<count {
        try damaged(sound, kind, &random).write(to: URL(filePath: path))
        let target = directory + "/new\(number)"
        let (isRefused, findings) = try look(at: path)
        started += isRefused ? 0 : 1
        found += findings?.isEmpty == true ? 0 : 1
        // If a gateway refuses to start on the store, `store check` must find the reason.
        #expect(!isRefused || findings?.isEmpty != true, "damage \(number)")
        do {
          _ = try StoreUpkeep.recover(path, to: target, .ofTests)
        } catch is StorageError {
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
      let bounds = kind.bounds
      #expect(found * 100 >= bounds.found * count, "\(found) of \(count)")
      #expect(started * 100 <= bounds.started * count, "\(started) of \(count)")
      // The schema takes some 6 % of the file, so even a short run may damage it once.
      #expect(refused <= max(1, bounds.refused * count / 100), "\(refused) of \(count)")
      #expect(share / Double(count - refused) > bounds.share)
    }
  }

  /// Returns whether a gateway would refuse the file, and the findings of `store check`. They are nil if the
  /// file is not recognized as a store.
  private func look(at path: String) throws -> (isRefused: Bool, findings: [StoreFinding]?) {
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    var isRefused = false
    do {
      try StoreUpkeep.refuseDamaged(path)
    } catch is StorageError {
      isRefused = true
    }
    do {
      return (isRefused, try StoreUpkeep.check(at: path).findings)
    } catch is StorageError {
      return (isRefused, nil)
    }
  }

  private func damaged(_ sound: Data, _ kind: Damage, _ random: inout SeededGenerator) -> Data {
    var bytes = sound
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch kind {
    case .bit: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case .bytes:
      for index in place..<min(bytes.count, place + 64) {
        bytes[index] = .random(in: 0...255, using: &random)
      }
    case .page:
      let page = place / SampleDatabase.pageSize * SampleDatabase.pageSize
      bytes.replaceSubrange(
        page..<page + SampleDatabase.pageSize, with: Data(repeating: 0, count: SampleDatabase.pageSize))
    case .scattered:
      // Change one byte per 28 kB, so that the number of damaged pages does not depend on the page size.
      for _ in 0..<bytes.count / 28_000 {
        bytes[Int.random(in: 4096..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
    case .cut: bytes = bytes.prefix(max(4096, place))
    }
    return bytes
  }
}
