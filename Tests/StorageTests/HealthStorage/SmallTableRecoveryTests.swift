import Foundation
import GRDB
import Testing

@testable import HealthStorage
@testable import TestSupport

/// Tests recovery after the loss of a page of the small tables to which all samples refer.
@Suite struct SmallTableRecoveryTests {
  private static let pageSize = SampleDatabase.pageSize
  private static let uniqueIndexes = [
    "source_revision": "source_revision_value", "device": "device_value", "provenance": "provenance_value",
  ]

  private func origin(_ number: Int) -> Provenance {
    var device = DeviceRecord()
    device.name = "Strap \(number % 2)"
    return Provenance(
      revision: SourceRevisionRecord(
        source: SourceRecord(bundleIdentifier: "org.example.\(number / 2)", name: "Name \(number / 2)"),
        version: number % 3 == 0 ? nil : "1", productType: nil, operatingSystem: "1.0.0"),
      device: number == 5 ? nil : device)
  }

  /// Creates a store with six provenances of three sources, metadata, beats, a segment of a hundred samples,
  /// two commits of a gateway with ten samples, a file, and a deletion.
  private func makeStore(_ path: String) async throws {
    let store = try SampleDatabase.open(at: path)
    var generator = SeededGenerator(seed: 5)
    let packed = secondsOfHour(100, &generator).map { sample in
      var sample = sample
      sample.provenance = origin(0)
      sample.metadata = EncodedMetadata(["block": .integer(1)])
      return sample
    }
    try await store.save(packed)
    try await store.packAll()
    #expect(try await store.blockCount() == 1)
    try await store.save(
      mixedRecords(60).enumerated().map { index, sample in
        var sample = sample
        sample.provenance = origin(index % 6)
        return sample
      })
    let gone = record(1, at: 9, from: origin(1))
    try await store.save([gone])
    try await store.delete([gone.uuid], savedBy: "org.example.0")
    try await store.saveMeasured(1..<3, of: MeasuredMinutes(1))
    try store.close()
  }

  private func records(_ path: String) async throws -> [UUID: SampleRecord] {
    let store = try SampleDatabase.open(at: path)
    let records = try await store.reduce(
      into: [UUID: SampleRecord](), .everything, order: [], limit: nil, heartbeats: .beats
    ) { $0[$1.uuid] = $1 }
    try store.close()
    return records
  }

  /// Overwrites the root pages of tables or indexes.
  private func destroy(_ names: [String], in path: String) async throws {
    let queue = try DatabaseQueue(path: path)
    let pages = try await queue.read { database in
      try names.map { name in
        try Int.fetchOne(
          database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name])
      }
    }
    try queue.close()
    var bytes = try Data(contentsOf: URL(filePath: path))
    for page in pages {
      let start = (try #require(page) - 1) * Self.pageSize
      bytes.replaceSubrange(start..<start + Self.pageSize, with: Data(repeating: 0xA5, count: Self.pageSize))
    }
    try bytes.write(to: URL(filePath: path))
  }

  private func recovering(
    without names: [String],
    _ body: (StoreUpkeep.Recovered, _ all: [UUID: SampleRecord], _ saved: [UUID: SampleRecord]) -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      try await makeStore(path)
      let all = try await records(path)
      try await destroy(names, in: path)
      let recovered = try StoreUpkeep.recover(path, to: directory + "/new", .ofTests)
      #expect(try StoreUpkeep.check(at: directory + "/new").findings == [])
      body(recovered, all, try await records(directory + "/new"))
    }
  }

  @Test(arguments: ["object_type", "unit", "source_revision", "device", "provenance", "metadata"])
  func `a table with lost pages is rebuilt from its index`(table: String) async throws {
    try await recovering(without: [table]) { recovered, all, saved in
      #expect(all.count == 170 && saved == all)
      #expect(recovered.dropped.values.allSatisfy { $0 == 0 } && recovered.damaged == [])
      #expect(recovered.losses == [:] && recovered.kept["sample"] == 170)
    }
  }

  @Test func `a source with a lost name is identified by its bundle identifier`() async throws {
    try await recovering(without: ["source"]) { recovered, all, saved in
      #expect(saved.count == all.count && recovered.losses == [.sourceName: 170])
      for (uuid, record) in saved {
        let source = record.provenance.revision.source
        #expect(source.name == source.bundleIdentifier)
        #expect(source.bundleIdentifier == all[uuid]?.provenance.revision.source.bundleIdentifier)
        #expect(record.provenance.device == all[uuid]?.provenance.device)
      }
    }
  }

  private func both(_ table: String) -> [String] {
    [table, Self.uniqueIndexes[table] ?? "sqlite_autoindex_\(table)_1"]
  }

  @Test func `samples are recovered without lost metadata`() async throws {
    try await recovering(without: both("metadata")) { recovered, all, saved in
      let expected = all.mapValues { record in
        var record = record
        record.metadata = nil
        return record
      }
      #expect(saved == expected && recovered.losses == [.metadata: 170])
      #expect(recovered.damaged == ["metadata"])
    }
  }

  @Test func `samples are recovered without lost devices`() async throws {
    try await recovering(without: both("device")) { recovered, all, saved in
      let expected = all.mapValues { record in
        var record = record
        record.provenance = Provenance(revision: record.provenance.revision, device: nil)
        return record
      }
      // The samples of one of the six provenances and those of the gateway have no device that could be lost.
      #expect(saved == expected)
      #expect(recovered.losses == [.device: 150])
    }
  }

  @Test(arguments: ["source", "source_revision", "provenance"])
  func `a lost source is replaced by a placeholder of its own`(table: String) async throws {
    try await recovering(without: both(table)) { recovered, all, saved in
      #expect(saved.count == all.count && recovered.losses == [.source: 170])
      var places: [String: Set<Provenance>] = [:]
      for (uuid, record) in saved {
        let source = record.provenance.revision.source
        #expect(source.name == "recovered" && source.bundleIdentifier.hasPrefix("org.hrgate.recovered."))
        places[source.bundleIdentifier, default: []].insert(all[uuid]?.provenance ?? record.provenance)
        #expect(record.content == all[uuid]?.content && record.metadata == all[uuid]?.metadata)
      }
      for origins in places.values {
        #expect(Set(origins.map(\.revision.source.bundleIdentifier)).count == 1)
      }
    }
  }

  /// Without their type or unit, the values would be meaningless. The samples are dropped and counted.
  @Test(arguments: ["object_type", "unit"])
  func `samples without a type or unit are dropped and reported`(table: String) async throws {
    try await recovering(without: both(table)) { recovered, all, saved in
      let expected = table == "unit" ? all.filter { $0.value.value == nil } : [:]
      #expect(saved == expected && recovered.damaged.contains(table))
      // The dropped segments are the one of a hundred samples and four of the gateway's commits.
      #expect(recovered.dropped["sample"] == 60 - expected.count && recovered.dropped["block"] == 5)
    }
  }
}
