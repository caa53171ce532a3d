import Bluetooth
import HealthKit
import HealthStorage
import Ingestion
import Synchronization
import Testing

@testable import Gateway

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let peripheral = PeripheralIdentity.address(strap)

private func time(_ seconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + seconds * 1_000_000)
}

private func frame(_ second: Int64) -> CentralEvent {
  .notified(
    ValueNotification(
      peripheral: peripheral, characteristic: .heartRateMeasurement,
      value: HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded, receiptTime: time(second)))
}

@Suite(.timeLimit(.minutes(30))) struct LiveIngestionTests {
  /// An error of a batch that would fail again in every retry.
  private struct PoisonError: Error {}

  /// The reports of the ingestion, in order.
  private final class Reports: Sendable {
    private let all = Mutex<[CommitReport]>([])
    var list: [CommitReport] { all.withLock { $0 } }

    func add(_ report: CommitReport) { all.withLock { $0.append(report) } }
  }

  private let reports = Reports()

  private let store: HKHealthStore
  private let registry: MonitorRegistry

  init() async throws {
    store = try HKHealthStore.inMemory()
    registry = try MonitorRegistry(store)
    try await registry.enrol(EnrolledMonitor(address: strap, isBonded: false, enrolled: time(-100)))
  }

  /// - Parameter refusal: Returns the error with which saving a batch fails, or `nil` to save it.
  private func ingestion(
    _ policy: LivePolicy = LivePolicy(),
    refusing refusal: @escaping @Sendable (SampleBatch) -> (any Error)?
  ) async throws -> LiveIngestion {
    let (_, signal) = AsyncStream.makeStream(of: Void.self)
    return LiveIngestion(
      policy: policy, known: try await registry.known(try await registry.monitors()), signal,
      { [reports] in reports.add($0) }
    ) { [store] batch in
      if let refusal = refusal(batch) { throw refusal }
      return try await batch.save(to: store, as: .rows)
    }
  }

  @Test func `changes that remain after measurements are given up are committed at once`() async throws {
    let ingestion = try await ingestion { $0.heartRates > 0 ? PoisonError() : nil }
    await ingestion.receive([
      .connected(peripheral, time(0)), .valueRead(peripheral, .batteryLevel, [88]), frame(1), frame(2),
    ])
    #expect(await ingestion.commit() == .zero)
    #expect(await ingestion.commit() == nil)
    let lost = MonitorGap(monitor: strap, start: time(1), end: time(2), cause: .storeUnavailable, lost: 2)
    #expect(try await registry.gaps() == [lost])
    #expect(try await registry.monitor(strap)?.battery == 88)

    await ingestion.receive([frame(3)])
    await ingestion.end(at: time(9))
    while await ingestion.commit() != nil {}
    let (tally, loss) = await ingestion.conclude()
    #expect(loss == nil && tally.rejected == [.storeFailed: 3] && tally.isBalanced)
    #expect(try await registry.gaps(isOpen: true).map(\.cause) == [.gatewayStopped])
  }

  @Test(arguments: [true, false])
  func `a gap that begins with a lost measurement stays open`(isInOneBatch: Bool) async throws {
    let ingestion = try await ingestion { $0.heartRates > 0 ? PoisonError() : nil }
    await ingestion.receive([.connected(peripheral, time(0)), frame(3)])
    if !isInOneBatch { while await ingestion.commit() != nil {} }
    await ingestion.receive([.gapBegan(peripheral, .silence, time(5))])
    while await ingestion.commit() != nil {}
    #expect(
      try await registry.gaps() == [MonitorGap(monitor: strap, start: time(3), cause: .silence, lost: 1)])
  }

  @Test func `events that were dropped before the connection are a gap`() async throws {
    let ingestion = try await ingestion { _ in nil }
    await ingestion.receive([
      .gapBegan(peripheral, .overflow, time(1)), .connected(peripheral, time(2)), frame(3),
    ])
    while await ingestion.commit() != nil {}
    #expect(
      try await registry.gaps() == [
        MonitorGap(monitor: strap, start: time(1), end: time(3), cause: .overflow)
      ])
  }

  @Test func `gaps that no store accepts are not retried forever`() async throws {
    let ingestion = try await ingestion { _ in PoisonError() }
    await ingestion.receive([.connected(peripheral, time(0)), frame(1)])
    #expect(await ingestion.commit() == .zero)
    #expect(await ingestion.commit() == nil)
    let (tally, loss) = await ingestion.conclude()
    #expect(loss?.cause is PoisonError && loss?.count == 0 && tally.rejected == [.storeFailed: 1])
  }

  @Test func `facts learned while the store was retried are committed too`() async throws {
    let isLocked = Mutex(true)
    let ingestion = try await ingestion { _ in
      isLocked.withLock { isLocked in
        defer { isLocked = false }
        return isLocked ? HKError(.errorDatabaseInaccessible) : nil
      }
    }
    await ingestion.receive([.connected(peripheral, time(0)), frame(1)])
    #expect(await ingestion.commit() == LivePolicy().firstRetry)
    await ingestion.receive([.valueRead(peripheral, .batteryLevel, [77])])
    #expect(await ingestion.commit() == .zero)
    #expect(await ingestion.commit() == nil)
    #expect(try await registry.monitor(strap)?.battery == 77)
  }

  @Test func `learned facts that are not stored do not count as lost measurements`() async throws {
    let ingestion = try await ingestion { _ in HKError(.errorDatabaseInaccessible) }
    await ingestion.receive([.valueRead(peripheral, .batteryLevel, [77])])
    #expect(await ingestion.commit() != nil)
    let (tally, loss) = await ingestion.conclude()
    #expect(loss == nil && tally.isBalanced)
  }

  private static func setting(ahead: Int64) -> ClockSetting {
    ClockSetting(boot: "one", origin: time(ahead - 1000))
  }

  /// Returns an ingestion with one measurement while the clock is an hour ahead, and one after the clock was
  /// set back.
  private func setBack(
    refusing refusal: @escaping @Sendable (SampleBatch) -> (any Error)?
  ) async throws -> LiveIngestion {
    let ingestion = try await ingestion(refusing: refusal)
    await ingestion.begin(
      ClockBeginning(
        history: ClockHistory(), setting: Self.setting(ahead: 3600), now: time(3600), wall: time(3600),
        latest: nil))
    _ = await ingestion.commit()
    await ingestion.receive([
      .connected(peripheral, time(3600)), frame(3601), .clockSet(Self.setting(ahead: 0), time(2)), frame(3),
    ])
    return ingestion
  }

  @Test func `a rejected clock change is retried and blocks nothing`() async throws {
    let refusals = Mutex(2)
    let ingestion = try await setBack { batch in
      guard batch.changes.clock?.corrections.isEmpty == false else { return nil }
      return refusals.withLock { left in
        left -= 1
        return left >= 0 ? PoisonError() : nil
      }
    }
    while await ingestion.commit() != nil {}
    let rates = HKSamplePredicate.quantitySample(type: HKQuantityType(.heartRate))
    let samples = HKSampleQueryDescriptor(predicates: [rates], sortDescriptors: [])
    #expect(try await samples.result(for: store).count == 2)
    #expect(try await registry.clockErrors().isEmpty)
    await ingestion.receive([frame(4)])
    while await ingestion.commit() != nil {}
    #expect(try await registry.clockErrors().map(\.ahead) == [.seconds(3600)])
    let marked = try await samples.result(for: store).filter { $0.metadata?["org.hrgate.clock-ahead"] != nil }
    #expect(marked.map(\.startDate.timeIntervalSince1970) == [1_800_003_601])
    // The failed correction of times was reported once, and not as a failure of the store.
    #expect(reports.list.compactMap(\.clockRefusal).count == 1)
    #expect(reports.list.allSatisfy { $0.failure == nil })
    let (tally, loss) = await ingestion.conclude()
    #expect(loss == nil && tally.storedMeasurements == 3 && tally.isBalanced)
    #expect(tally.refusedClockChanges == 0)
  }

  @Test func `a clock change that no store accepts is not retried forever, and costs no measurement`()
    async throws
  {
    let ingestion = try await setBack { $0.changes.clock?.corrections.isEmpty == false ? PoisonError() : nil }
    while await ingestion.commit() != nil {}
    await ingestion.end(at: time(9))
    while await ingestion.commit() != nil {}
    let (tally, loss) = await ingestion.conclude()
    #expect(tally.storedMeasurements == 2 && tally.rejected.isEmpty)
    #expect(reports.list.compactMap(\.clockRefusal).count == 1)
    #expect(reports.list.allSatisfy { $0.failure == nil })
    #expect(tally.refusedClockChanges == 1)
    #expect(loss?.count == 0 && loss?.cause is PoisonError)
    #expect(
      loss?.description.contains("Samples stored while the clock was ahead are therefore not marked as such.")
        == true)
    #expect(loss?.description.contains("The next run records") == false)
  }

  @Test func `a clock change that is pending when the run ends is reported`() async throws {
    let isLocked = Mutex(false)
    let ingestion = try await setBack { _ in
      isLocked.withLock { $0 } ? HKError(.errorDatabaseInaccessible) : nil
    }
    // The measurements are stored now, and the correction of their times is still pending.
    #expect(await ingestion.commit() == .zero)
    isLocked.withLock { $0 = true }
    #expect(await ingestion.commit() != nil)
    let (tally, loss) = await ingestion.conclude()
    #expect(tally.refusedClockChanges == 1)
    #expect(
      loss?.description.contains("Samples stored while the clock was ahead are therefore not marked as such.")
        == true)
    #expect(loss?.description.contains("The next run records") == true)
  }

  @Test func `a capacity of zero counts as one`() async throws {
    var policy = LivePolicy()
    policy.heldBack = 0
    let ingestion = try await ingestion(policy) { _ in nil }
    await ingestion.receive([.connected(peripheral, time(0)), frame(1), frame(2)])
    while await ingestion.commit() != nil {}
    let (tally, loss) = await ingestion.conclude()
    #expect(loss == nil && tally.storedMeasurements == 2)
  }
}
