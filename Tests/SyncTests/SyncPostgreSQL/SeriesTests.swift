import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import ExternalStores
@testable import TestSupport

@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct SeriesTests {
  private let database: TestDatabase

  init() throws {
    database = try PostgreSQLServer.shared.get().makeDatabase()
  }

  @Test func `the view of beats has each beat of a series in order`() async throws {
    let offsets = (0..<5000).map { Double($0) * 819 / 1024 }
    let record = try Samples.beats(offsets, gapsBefore: [0, 17, 4999])
    let store = try database.store()
    try await store.open()
    #expect(try await store.upload(Samples.page([record])) == [])
    let rows = try database.rows(
      #"SELECT number, seconds, preceded_by_gap, extract(epoch FROM "time" - series_start), person "#
        + "FROM hrgate.beats WHERE series = '\(record.text)' ORDER BY number")
    #expect(rows.compactMap { $0[0].flatMap(Int.init) } == Array(1...5000))
    #expect(rows.compactMap { $0[1].flatMap(Double.init) } == offsets)
    #expect(rows.indices.filter { rows[$0][2] == "t" } == [0, 17, 4999])
    #expect(
      zip(rows.compactMap { $0[3].flatMap(Double.init) }, offsets).allSatisfy { abs($0 - $1) <= 0.000001 })
    #expect(rows.allSatisfy { $0[4] == "Ada" })
    #expect(try database.rows("SELECT value, unit FROM hrgate.samples") == [[nil, nil]])
  }

  @Test func `a series is stored once and deleted with its sample`() async throws {
    let record = try Samples.beats([0, 1, 2])
    let store = try database.store()
    try await store.open()
    for _ in 0..<2 { _ = try await store.upload(Samples.page([record])) }
    #expect(try database.column("SELECT count(*) FROM hrgate.beats") == ["3"])
    #expect(try database.column("SELECT count(*) FROM hrgate.quantities") == ["0"])
  }

  @Test func `the view of quantities has each quantity of a series, to the microsecond`() async throws {
    let times = [0.0, 1.000001, 2.5]
    let quantities = times.map {
      ExternalRecord.MeasuredQuantity(
        value: 60 + $0,
        interval: DateInterval(start: Samples.start.addingTimeInterval($0), duration: 0.25))
    }
    let sample = Samples.pulse(61, lasting: 3).sample
    let store = try database.store()
    try await store.open()
    let record = ExternalRecord(sample: sample, series: .quantities(quantities))
    #expect(try await store.upload(Samples.page([record])) == [])
    #expect(
      try database.rows(#"SELECT "start", "end", value, unit FROM hrgate.quantities ORDER BY number"#) == [
        ["2026-11-18 11:06:40+00", "2026-11-18 11:06:40.25+00", "60", "count/min"],
        ["2026-11-18 11:06:41.000001+00", "2026-11-18 11:06:41.250001+00", "61.000001", "count/min"],
        ["2026-11-18 11:06:42.5+00", "2026-11-18 11:06:42.75+00", "62.5", "count/min"],
      ])
    #expect(try database.column("SELECT value FROM hrgate.samples") == ["61"])
  }
}
