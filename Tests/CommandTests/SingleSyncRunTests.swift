import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests `hrgate sync run --once` beside another process that syncs to the same destination.
@Suite(.timeLimit(.minutes(30))) struct SingleSyncRunTests {
  /// An external store whose opening and failure the test controls.
  private actor Gate: ExternalStore {
    private(set) var openings = 0
    private var isHeld: Bool
    private var failure: String?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(isHeld: Bool = false, failure: String? = nil) {
      self.isHeld = isHeld
      self.failure = failure
    }

    func open() async throws {
      openings += 1
      if isHeld { await withCheckedContinuation { waiting.append($0) } }
      if let failure { throw ExternalStoreError("\(failure) \(openings)", outlook: .lasting) }
    }

    func release() {
      isHeld = false
      for waiter in waiting { waiter.resume() }
      waiting = []
    }

    func upload(_ page: ChangePage) async throws -> [RejectedChange] { [] }

    func close() async {}
  }

  private let folder: TemporaryFolder
  private let store: HKHealthStore
  private let destination = SyncDestination(
    name: "d", address: "file:///nowhere/at/all",
    identity: ExternalIdentity(person: "Ada", gateway: "attic"))

  init() async throws {
    folder = try TemporaryFolder()
    store = try HKHealthStore(storeAt: folder.path("s"))
    try await SyncDestinations(store).add(destination)
    let time = Date(timeIntervalSince1970: 1_800_000_000)
    try await store.save(
      HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60), start: time, end: time))
  }

  /// Performs a `sync run --once` while another run syncs to `gate` continuously.
  private func once(
    beside gate: Gate, _ body: () async throws -> Void = {}
  ) async throws -> SingleSyncRun.Outcome? {
    let (store, destination) = (store, destination)
    let other = Task { try await Synchronizer("d", of: store, to: gate).run() }
    defer { other.cancel() }
    #expect(await eventually { await gate.openings > 0 })
    async let outcomes = SingleSyncRun(store: store, destinations: [destination]).perform()
    try await body()
    return await outcomes.first
  }

  private func lastError() async throws -> String? {
    try await SyncDestinations(store).status().first?.lastError
  }

  @Test func `an earlier failure is not reported as that of the other process`() async throws {
    await #expect(throws: ExternalStoreError.self) {
      try await Synchronizer("d", of: store, to: Gate(failure: "old")).runOnce()
    }
    #expect(try await lastError() == "old 1")
    let gate = Gate(isHeld: true)
    let outcome = try await once(beside: gate) {
      let isUrged = try await eventually { try await lastError() == nil }
      #expect(isUrged)
      await gate.release()
    }
    #expect(outcome?.failure == nil)
    #expect(outcome?.account.contains("sent by process \(getpid())") == true)
  }

  @Test func `a failure of the other process is reported`() async throws {
    let gate = Gate(failure: "away")
    // Without being asked, the other process would retry five minutes after its failure. `--once` makes it
    // retry now.
    let outcome = try await once(beside: gate)
    #expect(await gate.openings > 1)
    #expect(outcome?.failure?.hasPrefix("away") == true && outcome?.failure != "away 1")
  }
}
