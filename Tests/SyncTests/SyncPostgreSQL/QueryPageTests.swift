import Foundation
import HealthDataSync
import Testing

@testable import ExternalStores
@testable import HealthKit
@testable import TestSupport

/// Runs each query of the page `Queries.md` on a day of made-up data.
@Suite(.enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(30)))
struct QueryPageTests {
  private static let answers: [String: [[String?]]] = [
    "Daily heart rate": [["2026-11-18", "74.3", "55", "100", "26"]],
    "Minutes at rest": [["2026-11-18", "1", "2"]],
    "RR intervals of a night": [
      ["2026-11-18 11:06:40+00", nil], ["2026-11-18 11:06:41+00", "1000"],
      ["2026-11-18 11:06:42.5+00", "1500"],
      ["2026-11-18 11:06:43.5+00", "1000"], ["2026-11-18 11:06:50+00", nil],
      ["2026-11-18 11:06:51+00", "1000"],
      ["2026-11-18 11:06:52.5+00", "1500"],
    ],
    "RMSSD in intervals of five minutes": [["2026-11-18 11:05:00+00", "500.0", "3"]],
    "Gaps": [["2026-11-18 11:08:11+00", "2026-11-18 11:13:20+00", "00:05:09"]],
    "People, types and time ranges": [
      [
        "Ada", "HKDataTypeIdentifierHeartbeatSeries", "1", "1", "2026-11-18 11:06:40+00",
        "2026-11-18 11:06:40+00",
      ],
      [
        "Ada", "HKQuantityTypeIdentifierHeartRate", "26", "1", "2026-11-18 11:07:00+00",
        "2026-11-18 11:13:20+00",
      ],
    ],
    "Overlapping gateways": [["Ada", "attic", "cellar", "1"]],
    "Duplicate samples": [],
    "Deleted samples": [["Ada", "cellar", "HKQuantityTypeIdentifierHeartRate", "1"]],
  ]

  @Test func `each query of the page returns the described result`() async throws {
    let database = try PostgreSQLServer.shared.get().makeDatabase()
    let (attic, cellar) = (try database.store("attic"), try database.store("cellar"))
    try await attic.open()
    try await cellar.open()
    let resting = (20..<32).map { Samples.pulse(55, at: Double($0)) }
    let running = (80..<92).map { Samples.pulse(90, at: Double($0)) }
    _ = try await attic.upload(Samples.page(resting + running + [Samples.pulse(100, at: 400)]))
    _ = try await attic.upload(
      Samples.page([try Samples.beats([0, 1, 2.5, 3.5, 10, 11, 12.5], gapsBefore: [4])]))
    let gone = Samples.pulse(200, at: 86)
    _ = try await cellar.upload(Samples.page(resting + [Samples.pulse(91, at: 85.5), gone]))
    _ = try await cellar.upload(Samples.page(deleted: [HKDeletedObject(uuid: gone.uuid, metadata: nil)]))
    let queries = try QueryPage.queries()
    #expect(Set(queries.keys) == Set(Self.answers.keys))
    for (heading, query) in queries {
      let expected = Self.answers[heading] ?? []
      // Expected rows omit the last column if it is the time of a deletion, which the server sets.
      let rows = try database.rows(query).map { Array($0.prefix(expected.first?.count ?? 0)) }
      #expect(rows == expected, "\(heading)")
    }
  }
}
