import Bluetooth
import Foundation
import HealthDataSync
import HealthKit
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport
@testable import hrgate

/// Tests the metrics about the destinations of `hrgate sync`.
@Suite(.timeLimit(.minutes(30))) struct DestinationMetricsTests {
  /// Accepts the given number of pages, then fails. Rejects some records.
  private final class PartialStore: ExternalStore {
    let refused: Set<UUID>
    private let pages: Mutex<Int>

    init(refused: Set<UUID>, pages: Int) {
      self.refused = refused
      self.pages = Mutex(pages)
    }

    func open() async throws {}
    func close() async {}

    func upload(_ page: ChangePage) async throws -> [RejectedChange] {
      let isAway = pages.withLock { pages in
        defer { pages -= 1 }
        return pages <= 0
      }
      if isAway { throw ExternalStoreError("the server is away", outlook: .passing) }
      return page.added.map(\.sample.uuid).filter { refused.contains($0) }
        .map { RejectedChange(uuid: $0, reason: "it is odd") }
    }
  }

  private func metrics(_ statusStore: DestinationStatusStore, of person: String?) throws -> Exposition {
    var state = GatewayState()
    for account in [nil, person] {
      state.update(with: TimedGatewayEvent(emitted: .now(), person: account, event: .enrolled([])))
    }
    return try Exposition(
      MetricFamily.text(
        state.metrics(now: .now(), version: "1", isRunning: true, destinations: statusStore.entries)))
  }

  @Test func `every sample is sent, rejected or pending, and counters never decrease`() async throws {
    let folder = try TemporaryFolder()
    let store = try HKHealthStore(storeAt: folder.path("s.sqlite"))
    let samples = (0..<20).map { second in
      let time = Date(timeIntervalSince1970: 1_800_000_000 + Double(second))
      return HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60), start: time, end: time)
    }
    try await store.save(samples)
    let destinations = try SyncDestinations(store)
    let identity = ExternalIdentity(person: "Anna", gateway: "g", gatewayID: "i")
    try await destinations.add(
      SyncDestination(name: "lab", address: "file:///nowhere", identity: identity))
    try await destinations.add(
      SyncDestination(name: "idle", address: "file:///nowhere", identity: identity))
    let statusStore = DestinationStatusStore()
    var policy = SyncPolicy()
    policy.pageCount = 5
    policy.firstPause = .milliseconds(1)
    policy.longestPause = .milliseconds(2)
    policy.attemptsOfOneRun = 2
    let refused = Set(samples.prefix(3).map(\.uuid))
    var before: Exposition?
    // Expected numbers of sent, rejected and pending samples, and whether the destination fails.
    let steps: [(pages: Int, expected: [Double])] = [
      (0, [0, 0, 20, 1]), (2, [7, 3, 10, 1]), (9, [17, 3, 0, 0]),
    ]
    for (pages, expected) in steps {
      let external = PartialStore(refused: refused, pages: pages)
      try? await Synchronizer("lab", of: store, to: external, policy: policy).runOnce()
      await statusStore.look(destinations, "Anna")
      let read = try metrics(statusStore, of: "Anna")
      let labels = ["person": "Anna", "destination": "lab"]
      let found = ["sent_total", "refused", "waiting", "failing"].map {
        read.sum("hrgate_sync_\($0)", labels)
      }
      #expect(found == expected, "\(pages) pages")
      #expect(found.prefix(3).reduce(0, +) == 20)
      for (sample, value) in before?.samples ?? [:] where read.types[sample.name] == "counter" {
        #expect(read.samples[sample] ?? -1 >= value, "\(sample)")
      }
      let last = read.sum("hrgate_sync_last_success_timestamp_seconds", labels)
      let status = try await destinations.status().first { $0.name == "lab" }
      #expect(last == status?.lastSuccess?.timeIntervalSince1970 ?? 0)
      before = read
    }
    #expect(before?.sum("hrgate_sync_last_success_timestamp_seconds", ["destination": "lab"]) ?? 0 > 1e9)
    let idle = ["person": "Anna", "destination": "idle"]
    #expect(before?.sum("hrgate_sync_waiting", idle) == 20)
    // Nothing was ever sent to the destination `idle`, so it has no time of a last success.
    #expect(
      before?.samples.keys.contains {
        $0.name == "hrgate_sync_last_success_timestamp_seconds" && $0.labels["destination"] == "idle"
      } == false)
    // There are no metrics for a person who was removed.
    #expect(try metrics(statusStore, of: "Ben").samples.keys.allSatisfy { $0.labels["destination"] == nil })
  }
}
