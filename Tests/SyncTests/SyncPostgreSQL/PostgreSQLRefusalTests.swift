import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores
@testable import TestSupport

/// Tests records that PostgreSQL rejects, among accepted ones.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct PostgreSQLRefusalTests {
  private let database: TestDatabase

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  @Test func `values that PostgreSQL cannot store are refused, and the others are sent`() async throws {
    let store = try database.store()
    try await store.open()
    let good = [Samples.pulse(60), Samples.pulse(.infinity, at: 1)]
    let bad = [
      Samples.pulse(61, metadata: ["note": "a\u{0}b"]),
      Samples.pulse(62, metadata: ["a\u{0}b": 1]),
      Samples.pulse(
        63,
        device: HKDevice(
          name: "a\u{0}b", manufacturer: nil, model: nil, hardwareVersion: nil, firmwareVersion: nil,
          softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)),
      Samples.pulse(64, at: -3e11),
      ExternalRecord(
        sample: Samples.pulse(65).sample,
        series: .heartbeats([.init(timeSinceStart: .infinity, precededByGap: false)])),
    ]
    let rejections = try await store.upload(Samples.page([good[0]] + bad + [good[1]]))
    #expect(rejections.map(\.uuid) == bad.map(\.uuid))
    #expect(rejections[0].reason.contains("U+0000"))
    #expect(rejections[3].reason.contains("4713 BC"))
    #expect(
      try database.rows("SELECT uuid, value FROM hrgate.samples ORDER BY value") == [
        [good[0].text, "60"], [good[1].text, "Infinity"],
      ])
  }

  @Test(arguments: [4, 1000]) func `a record that violates a constraint is found`(count: Int) async throws {
    let store = try database.store()
    try await store.open()
    try database.rows("ALTER TABLE hrgate.sample ADD CONSTRAINT plausible CHECK (value < 300)")
    var records = Samples.pulses(count)
    let bad = [Samples.pulse(900), Samples.pulse(901)]
    records.insert(bad[0], at: count / 3)
    records.append(bad[1])
    let rejections = try await store.upload(Samples.page(records))
    #expect(rejections.map(\.uuid) == bad.map(\.uuid))
    #expect(rejections.first?.reason.contains("plausible") == true)
    #expect(rejections.allSatisfy { !$0.reason.contains("900") })
    #expect(try database.column("SELECT count(*) FROM hrgate.samples") == ["\(count)"])
    // The page after the refusals is sent as usual.
    #expect(try await store.upload(Samples.page([Samples.pulse(70)])) == [])
  }

  @Test func `a text outside the database's encoding is refused, and the others are sent`()
    async throws
  {
    let server = try PostgreSQLServer.shared.get()
    let name = "latin_\(database.name)"
    try server.connection(to: "postgres").perform(
      "CREATE DATABASE \(name) ENCODING 'LATIN1' TEMPLATE template0")
    let latin = TestDatabase(server: server, name: name)
    let store = try latin.store()
    try await store.open()
    let records = [Samples.pulse(60, metadata: ["note": "é"]), Samples.pulse(61, metadata: ["note": "心"])]
    #expect(try await store.upload(Samples.page(records)).map(\.uuid) == [records[1].uuid])
    #expect(try latin.column("SELECT metadata->>'note' FROM hrgate.samples") == ["é"])
  }
}
