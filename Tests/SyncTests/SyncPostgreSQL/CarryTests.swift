import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct CarryTests {
  private let database: TestDatabase

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  private func opened(_ gateway: String = "attic", person: String = "Ada") async throws -> PostgreSQLStore {
    let store = try database.store(gateway, person: person)
    try await store.open()
    return store
  }

  @Test func `all columns of a sample are written`() async throws {
    let metadata: [String: Any] = [
      HKMetadataKeyHeartRateSensorLocation: 1, "text": "a \"quoted\" \\ text\n\u{1}é", "flag": true,
      "real": 0.5,
      "date": Date(timeIntervalSince1970: -0.000001),
      "quantity": HKQuantity(unit: .meter(), doubleValue: 2),
    ]
    let record = Samples.pulse(61.5, at: 0.000001, lasting: 2, metadata: metadata)
    let store = try await opened()
    #expect(try await store.upload(Samples.page([record])) == [])
    let row = try #require(
      try database.rows(
        #"SELECT uuid, type, "start", "end", value, unit, source, device, metadata, person, gateway "#
          + "FROM hrgate.samples"
      ).first)
    #expect(
      row[..<8] == [
        record.text, "HKQuantityTypeIdentifierHeartRate", "2026-11-18 11:06:40.000001+00",
        "2026-11-18 11:06:42.000001+00", "61.5", "count/min", "", "Polar H10",
      ])
    #expect(row[9...] == ["Ada", "attic"])
    let json = try JSONSerialization.jsonObject(with: Data((row[8] ?? "").utf8)) as? [String: Any]
    #expect(json?["text"] as? String == "a \"quoted\" \\ text\n\u{1}é")
    #expect(json?["date"] as? String == "1969-12-31T23:59:59.999999Z")
    let quantity = json?["quantity"] as? [String: Any]
    #expect(quantity?["value"] as? Double == 2)
    #expect(quantity?["unit"] as? String == "m")
    #expect(
      try database.rows(
        "SELECT metadata->'flag', metadata->'real', metadata->'HKHeartRateSensorLocation', "
          + "device_details->>'firmwareVersion' FROM hrgate.samples"
      ).first == ["true", "0.5", "1", "5.0"])
  }

  @Test func `a category has its raw value, and a sample without an end ends in 4001`()
    async throws
  {
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepDeep.rawValue,
      start: Samples.start, end: Samples.start.addingTimeInterval(600))
    let stand = HKCategorySample(
      type: HKCategoryType(.pregnancy), value: 0, start: Samples.start, end: .distantFuture)
    let store = try await opened()
    #expect(
      try await store.upload(Samples.page([ExternalRecord(sample: sleep), ExternalRecord(sample: stand)]))
        == [])
    #expect(
      try database.rows(#"SELECT value, unit, "end" FROM hrgate.samples ORDER BY "end""#) == [
        ["4", nil, "2026-11-18 11:16:40+00"], ["0", nil, "4001-01-01 00:00:00+00"],
      ])
  }

  @Test(arguments: [1, 600]) func `a page that is sent twice is stored once`(count: Int) async throws {
    let store = try await opened()
    let page = Samples.page(Samples.pulses(count))
    for _ in 0..<3 { #expect(try await store.upload(page) == []) }
    try await store.open()
    #expect(try await store.upload(page) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["\(count)"])
  }

  @Test func `a page can contain a sample twice`() async throws {
    let record = Samples.pulse(60)
    let store = try await opened()
    #expect(try await store.upload(Samples.page([record, record])) == [])
    let pulses = Samples.pulses(600)
    #expect(try await store.upload(Samples.page(pulses + pulses)) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.sample") == ["601"])
  }

  @Test func `a page with known and new samples is stored completely`() async throws {
    let store = try await opened()
    let pulses = Samples.pulses(2000)
    #expect(try await store.upload(Samples.page(Array(pulses[..<1000]))) == [])
    #expect(try await store.upload(Samples.page(Array(pulses[500...]))) == [])
    #expect(try database.column("SELECT count(*), count(DISTINCT uuid) FROM hrgate.sample") == ["2000"])
  }

  @Test func `a deleted sample stays deleted if another gateway sends it later`() async throws {
    let (attic, cellar) = (try await opened("attic"), try await opened("cellar"))
    let (kept, deleted) = (Samples.pulse(60), Samples.pulse(61))
    _ = try await attic.upload(Samples.page([kept, deleted]))
    _ = try await attic.upload(Samples.page(deleted: [HKDeletedObject(uuid: deleted.uuid, metadata: nil)]))
    #expect(try database.column("SELECT uuid FROM hrgate.samples") == [kept.text])
    #expect(try await cellar.upload(Samples.page([deleted])) == [])
    // A page with this many samples is copied directly into the table. The deleted sample is not stored in
    // this case either.
    let large = try await opened("large")
    #expect(try await large.upload(Samples.page([deleted] + Samples.pulses(600))) == [])
    #expect(
      try database.column("SELECT count(*) FROM hrgate.samples WHERE uuid = '\(deleted.text)'") == ["0"])
    #expect(
      try database.rows("SELECT uuid, type, person, gateway FROM hrgate.tombstone") == [
        [deleted.text, "HKQuantityTypeIdentifierHeartRate", "Ada", "attic"]
      ])
  }

  @Test func `a sample that was deleted before it arrived is not stored`() async throws {
    let (attic, cellar) = (try await opened("attic"), try await opened("cellar"))
    let record = Samples.pulse(60)
    let deletion = Samples.page(deleted: [HKDeletedObject(uuid: record.uuid, metadata: nil)])
    for _ in 0..<2 { #expect(try await attic.upload(deletion) == []) }
    #expect(try await cellar.upload(Samples.page([record])) == [])
    #expect(try database.column("SELECT count(*) FROM hrgate.samples") == ["0"])
  }

  @Test func `a sample that a gateway deleted and saved again is stored`() async throws {
    let attic = try await opened("attic")
    let record = Samples.pulse(60)
    _ = try await attic.upload(Samples.page(deleted: [HKDeletedObject(uuid: record.uuid, metadata: nil)]))
    _ = try await attic.upload(Samples.page([record]))
    #expect(try database.column("SELECT uuid FROM hrgate.samples") == [record.text])
    #expect(try database.column("SELECT uuid FROM hrgate.tombstone") == [])
  }

  @Test func `the deletions of a page come before its additions`() async throws {
    let attic = try await opened("attic")
    let (old, new) = (Samples.pulse(60), Samples.pulse(61))
    _ = try await attic.upload(Samples.page([old]))
    let deleted = [old, new].map { HKDeletedObject(uuid: $0.uuid, metadata: nil) }
    _ = try await attic.upload(Samples.page([new], deleted: deleted))
    #expect(try database.column("SELECT uuid FROM hrgate.samples") == [new.text])
  }

  @Test func `a sample of two gateways has the first one's name, and others have their own`() async throws {
    let (attic, cellar) = (try await opened("attic"), try await opened("cellar"))
    let (both, one, two) = (Samples.pulse(60), Samples.pulse(61), Samples.pulse(62))
    _ = try await attic.upload(Samples.page([both, one]))
    _ = try await cellar.upload(Samples.page([both, two]))
    _ = try await attic.upload(Samples.page([both, one]))
    #expect(
      try database.rows("SELECT value, gateway FROM hrgate.samples ORDER BY value") == [
        ["60", "attic"], ["61", "attic"], ["62", "cellar"],
      ])
  }

  @Test func `concurrent gateways with the same pages neither lose nor duplicate samples`() async throws {
    let pages = (0..<4).map { page in
      Samples.page((0..<700).map { Samples.pulse(60, at: Double(page * 700 + $0)) })
    }
    let stores = [
      try await opened("a"), try await opened("b"), try await opened("c", person: "Bert"),
    ]
    try await withThrowingTaskGroup { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          let order: [ChangePage] = index == 1 ? pages.reversed() : pages
          for page in order {
            let rejections = try await store.upload(page)
            #expect(rejections.isEmpty)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(
      try database.rows(
        "SELECT person, count(*), count(DISTINCT uuid) FROM hrgate.samples GROUP BY 1 ORDER BY 1")
        == [["Ada", "2800", "2800"], ["Bert", "2800", "2800"]])
  }

  @Test func `unique metadata is not stored in a separate row`() async throws {
    let store = try await opened()
    let records = (0..<20).map {
      Samples.pulse(60, metadata: [HKMetadataKeySyncIdentifier: "s\($0)", HKMetadataKeySyncVersion: 1])
    }
    _ = try await store.upload(Samples.page(records + Samples.pulses(20)))
    #expect(try database.column("SELECT count(*) FROM hrgate.origin") == ["1"])
    #expect(
      try database.column(
        "SELECT count(DISTINCT metadata->>'HKMetadataKeySyncIdentifier') FROM hrgate.samples")
        == ["20"])
    // Another session uses the same row of `origin`.
    try await store.open()
    _ = try await store.upload(Samples.page(Samples.pulses(1)))
    #expect(try database.column("SELECT count(*) FROM hrgate.origin") == ["1"])
  }

  @Test func `any time has a partition, and each month of this century has its own`() async throws {
    let store = try await opened()
    let dates = [
      "0001-01-01", "1970-01-01", "1999-12-31", "2000-01-01", "2024-02-29", "2099-12-31", "2100-01-01",
    ]
    let seconds = try dates.map { try Date("\($0)T23:59:59Z", strategy: .iso8601) }
    let far = [Date(timeIntervalSince1970: 1e12), Date(timeIntervalSince1970: -2e11)]
    let records = (seconds + far).map { Samples.pulse(60, at: $0.timeIntervalSince(Samples.start)) }
    #expect(records.count == 9)
    #expect(try await store.upload(Samples.page(records)) == [])
    #expect(
      try database.rows(
        "SELECT tableoid::regclass::text, count(*) FROM hrgate.sample GROUP BY 1 ORDER BY 1"
      ) == [
        ["hrgate.sample_2000_01", "1"], ["hrgate.sample_2024_02", "1"], ["hrgate.sample_2099_12", "1"],
        ["hrgate.sample_before_2000", "4"], ["hrgate.sample_from_2100", "2"],
      ])
  }
}
