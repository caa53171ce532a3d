import Bluetooth
import Foundation
import HealthKit
import HealthSystem
import Ingestion
import StrapSimulator
import Testing

@testable import Gateway
@testable import TestSupport

/// Tests the samples (SDNN and resting heart rate) that a gateway derives from the stored samples of any
/// source.
@Suite(.timeLimit(.minutes(30))) struct DerivationTests {
  private let strap = StrapProfile.sample(index: 0)
  private let start = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)

  private var central: SimulatedCentral {
    SimulatedCentral(straps: [strap], duration: .seconds(1800), seed: 7, start: start)
  }

  private func policy(_ derives: Bool = true) -> LivePolicy {
    var policy = LivePolicy()
    policy.derivesFigures = derives
    policy.lastDerivation = .seconds(3600)
    return policy
  }

  /// Runs a gateway on half an hour of a strap and returns the store.
  private func run(_ policy: LivePolicy) async throws -> HKHealthStore {
    let store = try HKHealthStore.inMemory()
    let registry = try MonitorRegistry(store)
    try await registry.enrol(
      EnrolledMonitor(address: strap.address, name: strap.name, isBonded: false, enrolled: start))
    try await HeartRateGateway(registry, central: central, policy: policy).run()
    return store
  }

  /// Returns the value, dates, device and metadata of each derived sample.
  private func figures(
    _ type: HKQuantityTypeIdentifier, in store: HKHealthStore
  ) async throws -> [[String]] {
    try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(type))],
      sortDescriptors: [SortDescriptor(\.startDate)]
    ).result(for: store).map { sample in
      var metadata = sample.metadata ?? [:]
      metadata[HKMetadataKeySyncVersion] = nil
      let device = sample.device.map { "\($0)" } ?? ""
      return [
        "\(sample.quantity)", "\(sample.startDate.timeIntervalSince1970)",
        "\(sample.endDate.timeIntervalSince1970)", device,
      ] + metadata.map { "\($0) \($1)" }.sorted()
    }
  }

  @Test func `after a run its figures are stored, and a replay has the same ones bit for bit`()
    async throws
  {
    let live = try await run(policy())
    let replayed = try HKHealthStore.inMemory()
    var pipeline = IngestionPipeline(store: replayed)
    _ = await pipeline.run(central)
    _ = try await Derivation(replayed).catchUp()
    for type in [HKQuantityTypeIdentifier.heartRateVariabilitySDNN, .restingHeartRate] {
      let figures = try await figures(type, in: live)
      #expect(!figures.isEmpty)
      #expect(try await figures == self.figures(type, in: replayed))
    }
    #expect(try await Derivation(live).derive(from: .distantPast, to: nil).changes == 0)
  }

  @Test func `a gateway does not derive figures if the policy says so`() async throws {
    let store = try await run(policy(false))
    #expect(try await figures(.heartRateVariabilitySDNN, in: store).isEmpty)
    #expect(try await figures(.restingHeartRate, in: store).isEmpty)
  }

  @Test func `a failed derivation is reported, and all measurements are stored`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let registry = try MonitorRegistry(at: .file(path))
    try await registry.enrol(
      EnrolledMonitor(address: strap.address, name: strap.name, isBonded: false, enrolled: start))
    // Make the derivation fail by renaming a table that it has to write to.
    try StoreLock.execute("ALTER TABLE sync_value RENAME TO moved", in: path)
    let gateway = HeartRateGateway(registry, central: central, policy: policy())
    let events = gateway.events()
    try await gateway.run()
    var failures = 0
    var account: IngestionTally?
    for await event in events {
      if case .derived(let report) = event, report.failure != nil { failures += 1 }
      if case .ended(let tally) = event { account = tally }
    }
    #expect(failures > 0)
    #expect(account?.isBalanced == true && (account?.storedMeasurements ?? 0) > 1000)
  }
}
