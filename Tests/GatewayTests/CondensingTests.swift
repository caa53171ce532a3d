import Bluetooth
import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Testing

@testable import Gateway
@testable import TestSupport

/// Tests the compaction that a gateway runs.
@Suite(.timeLimit(.minutes(30))) struct CondensingTests {
  private static let origin: Int64 = 472_222 * 3_600_000_000

  /// A central that never emits an event.
  private struct SilentCentral: Central {
    var stream = AsyncThrowingStream<[CentralEvent], any Error> { _ in }

    func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
  }

  /// Saves an old hour of a strap and returns its records.
  private func fill(_ database: SampleDatabase) async throws -> [SampleRecord] {
    var generator = SystemRandomNumberGenerator()
    let provenance = Provenance(
      revision: SourceRevisionRecord(
        source: SourceRecord(bundleIdentifier: "org.hrgate.monitor.F0:0D:BE:A7:01:01", name: "Strap"),
        version: nil, productType: nil, operatingSystem: "1.0.0"), device: nil)
    var records: [SampleRecord] = []
    for place in 0..<Int64(100) {
      let time = Self.origin + place * 30_000_123
      records.append(
        SampleRecord(
          uuid: gatewayUUID(end: time, &generator), type: "HKQuantityTypeIdentifierHeartRate",
          start: time, end: time, provenance: provenance, metadata: nil,
          content: .quantity(value: 60, unit: "count/min")))
    }
    try await database.save(records)
    return try await database.samples(.everything, order: [.insertion(ascending: true)])
  }

  /// - Returns: The compaction reports of a run that is stopped after its first report.
  private func run(_ policy: LivePolicy, on store: HKHealthStore) async throws -> [CondensingReport] {
    let registry = try MonitorRegistry(store)
    let (stream, end) = AsyncThrowingStream.makeStream(of: [CentralEvent].self)
    let gateway = HeartRateGateway(registry, central: SilentCentral(stream: stream), policy: policy)
    let events = gateway.events()
    async let running: Void = gateway.run()
    var reports: [CondensingReport] = []
    for await event in events {
      guard case .condensed(let report) = event else { continue }
      reports.append(report)
      end.finish()
    }
    try await running
    return reports
  }

  @Test func `old samples are compacted while a gateway runs, and read as before`() async throws {
    let store = try HKHealthStore.inMemory()
    let database = try SystemStore(store).database
    let before = try await fill(database)
    var policy = LivePolicy()
    policy.condensingPause = .zero
    let reports = try await run(policy, on: store)
    #expect(reports.first?.packed == 100 && reports.first?.left == 0 && reports.first?.failure == nil)
    #expect(try await database.rowCount() == 0)
    #expect(try await database.samples(.everything, order: [.insertion(ascending: true)]) == before)
  }

  @Test func `a gateway does not compact if the policy says so`() throws {
    let registry = try MonitorRegistry(try HKHealthStore.inMemory())
    var policy = LivePolicy()
    #expect(HeartRateGateway(registry, central: SilentCentral(), policy: policy).condensing() != nil)
    policy.condenses = false
    #expect(HeartRateGateway(registry, central: SilentCentral(), policy: policy).condensing() == nil)
  }
}
