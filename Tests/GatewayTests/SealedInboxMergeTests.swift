import Bluetooth
import Foundation
import HealthKit
import HealthSystem
import Ingestion
import Synchronization
import Testing

@testable import Gateway
@testable import HealthStorage
@testable import TestSupport

private let hasKeyring = StoreEncryption.hasKeyring
private let withoutKeyring: Comment = "the kernel or the container refuses keyrings (add_key, keyctl)"

private let straps = (1...3).map { BluetoothAddress(bits: 0xC0FF_EE00_0000 + UInt64($0), kind: .random) }
private let stranger = BluetoothAddress(bits: 0xC0FF_EE00_0099, kind: .random)

private func time(_ seconds: Double) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + Int64(seconds * 1e6))
}

private func frame(_ second: Int, of strap: Int) -> CentralEvent {
  let rate = UInt16(60 + (second * 7 + strap * 3) % 50)
  return .notified(
    ValueNotification(
      peripheral: .address(straps[strap]), characteristic: .heartRateMeasurement,
      value: HeartRateMeasurement(heartRate: rate, rrTicks: [1024]).encoded,
      receiptTime: time(Double(second) + Double(strap) / 10)))
}

/// Returns the frames of all straps in a second.
private func second(_ second: Int) -> [CentralEvent] { straps.indices.map { frame(second, of: $0) } }

private let links: [CentralEvent] = straps.map { .connected(.address($0), time(0)) }

/// A store in a file with three enrolled straps.
private final class Store {
  let folder: TemporaryFolder
  let path: String
  let isEncrypted: Bool

  /// - Parameter disk: The disk of the store; nil for the temporary folder's.
  init(isEncrypted: Bool = true, on disk: SmallDisk? = nil) async throws {
    folder = try TemporaryFolder()
    path = disk.map { $0.path + "/s.sqlite" } ?? folder.path("s.sqlite")
    self.isEncrypted = isEncrypted
    do {
      let registry = try registry()
      for (number, strap) in straps.enumerated() {
        try await registry.enrol(
          EnrolledMonitor(address: strap, name: "Strap \(number)", isBonded: false, enrolled: time(-100)))
      }
    }
    if isEncrypted { try StoreEncryption.encrypt(path, with: Self.secret(), cost: 1 << 10) }
  }

  /// Copies the store and its inbox, while no gateway uses them. The original folder must exist until then.
  init(copying store: Store) throws {
    folder = try TemporaryFolder()
    path = folder.path("s.sqlite")
    isEncrypted = false
    for name in try FileManager.default.contentsOfDirectory(atPath: store.folder.url.path)
    where name.hasPrefix("s.sqlite") {
      try FileManager.default.copyItem(atPath: store.folder.path(name), toPath: folder.path(name))
    }
  }

  deinit { if isEncrypted { _ = try? StoreEncryption.lock(path) } }

  static func secret() throws -> KeySecret {
    var bytes = Array("correct horse".utf8)
    return .passphrase(try SecretBytes(taking: &bytes))
  }

  func registry() throws -> MonitorRegistry { try MonitorRegistry(at: .file(path)) }
  func lock() throws { #expect(try StoreEncryption.lock(path)) }
  func unlock() throws { try StoreEncryption.unlock(path, with: Self.secret()) }

  var inboxBytes: Data? { FileManager.default.contents(atPath: path + "-inbox") }

  /// Returns the heart rates, their times, and the beats, by source.
  func samples() async throws -> [String] {
    let database = try SampleDatabase.open(at: path, .none)
    defer { try? database.close() }
    return try await database.samples(.all([]), order: []).map { sample in
      "\(sample.uuid) \(sample.type) \(sample.start) \(sample.end) \(sample.content)"
    }.sorted()
  }
}

/// A run of a gateway's ingestion on a store. The run ends when the process is killed or `end` is called.
private struct Life {
  /// The error of a commit after which the process counts as killed. Ingestion retries after this error.
  private static let killed = HKError(.errorDatabaseInaccessible, reason: "killed")

  let registry: MonitorRegistry?
  let ingestion: LiveIngestion

  /// - Parameters:
  ///   - start: The second at which the run starts.
  ///   - kills: Returns whether the process is killed before a commit.
  init(
    _ store: Store, at start: Double, boot: String = "boot", mergedBatch: Int = 50_000,
    kills: @escaping @Sendable () -> Bool = { false }
  ) async throws {
    let registry = try store.registry()
    self.registry = registry
    let (_, signal) = AsyncStream.makeStream(of: Void.self)
    let monitors = try await registry.monitors()
    var inbox = LivePipeline(registry).inbox
    inbox?.mergedBatch = mergedBatch
    let healthStore = registry.store.healthStore
    _ = try await healthStore.finishOpenSeries()
    ingestion = LiveIngestion(
      policy: LivePolicy(), known: try await registry.known(monitors), signal, { _ in }, inbox: inbox
    ) { batch in
      if kills() { throw Self.killed }
      return try await batch.save(to: healthStore, as: .rows)
    }
    let clocks = SystemClocks(
      boottimeNanoseconds: UInt64((1000 + start) * 1e9), wall: time(start))
    let (_, beginning) = try await registry.clock(at: clocks, boot: boot, for: monitors)
    await ingestion.begin(beginning)
    while await ingestion.commit() == .zero {}
  }

  /// A gateway without the store.
  init(
    lockedOut store: Store, at start: Double, boot: String = "boot", policy: LivePolicy = LivePolicy()
  ) async throws {
    registry = nil
    let (_, signal) = AsyncStream.makeStream(of: Void.self)
    let sealed = try #require(try SealedInbox(ofStoreAt: store.path))
    ingestion = LiveIngestion(
      policy: policy, known: [:], signal, { _ in }, inbox: LiveInbox(sealed: sealed, store: nil)
    ) { _ in throw Self.killed }
    let clock = ReceiptClock(boottimeNanoseconds: UInt64((1000 + start) * 1e9), wall: time(start))
    await ingestion.begin(
      ClockBeginning(
        history: ClockHistory(), setting: ClockSetting(boot: boot, origin: clock.origin), now: time(start),
        wall: time(start), latest: nil))
    _ = await ingestion.commit()
  }

  func receive(_ events: [CentralEvent]) async {
    await ingestion.receive(events)
    while await ingestion.commit() == .zero {}
  }

  func end(at second: Double) async -> (tally: IngestionTally, loss: LostMeasurementsError?) {
    await ingestion.end(at: time(second))
    while await ingestion.commit() == .zero {}
    return await ingestion.conclude()
  }
}

@Suite(.enabled(if: hasKeyring, withoutKeyring), .timeLimit(.minutes(30))) struct SealedInboxMergeTests {
  /// Returns the samples that a store which is never locked would contain.
  private func reference(_ seconds: Range<Int>) async throws -> [String] {
    let store = try await Store(isEncrypted: false)
    let life = try await Life(store, at: 0)
    await life.receive(links)
    for number in seconds { await life.receive(second(number)) }
    let ended = await life.end(at: Double(seconds.upperBound))
    #expect(ended.tally.isBalanced && ended.loss == nil)
    return try await store.samples()
  }

  private func heartRates(_ samples: [String]) -> [String] { samples.filter { $0.contains("HeartRate ") } }

  @Test func `a run whose store is locked for a while stores the same samples as one whose store is not`()
    async throws
  {
    let store = try await Store()
    let life = try await Life(store, at: 0)
    await life.receive(links)
    for number in 1..<20 { await life.receive(second(number)) }
    try store.lock()
    for number in 20..<60 { await life.receive(second(number)) }
    let sealed = await life.ingestion.summary
    #expect(sealed.isBalanced && sealed.sealed == 40 * 3 && sealed.measurements == 59 * 3)
    #expect(store.inboxBytes != nil)
    try store.unlock()
    for number in 60..<80 { await life.receive(second(number)) }
    #expect(store.inboxBytes == nil)
    let (tally, loss) = await life.end(at: 80)
    #expect(loss == nil && tally.isBalanced && tally.storedMeasurements == 79 * 3 && tally.sealed == 0)
    #expect(try await store.samples() == (try await reference(1..<80)))
    #expect(try await life.registry?.gaps().map(\.cause) == Array(repeating: .gatewayStopped, count: 3))
  }

  @Test func `what a killed run has sealed is stored by the next one, without a gap before it`() async throws
  {
    let store = try await Store()
    do {
      let life = try await Life(store, at: 0)
      await life.receive(links)
      for number in 1..<20 { await life.receive(second(number)) }
      try store.lock()
      for number in 20..<60 { await life.receive(second(number)) }
    }
    try store.unlock()
    let life = try await Life(store, at: 100)
    #expect(store.inboxBytes == nil)
    await life.receive(links.map { _ in links }.first ?? [])
    let (tally, loss) = await life.end(at: 101)
    #expect(loss == nil && tally.isBalanced && tally.storedMeasurements == 40 * 3)
    #expect(heartRates(try await store.samples()) == heartRates(try await reference(1..<60)))
    let gaps = try #require(try await life.registry?.gaps())
    #expect(gaps.map(\.cause) == Array(repeating: .gatewayStopped, count: 3))
    #expect(Set(gaps.map(\.start)) == Set(straps.indices.map { time(59 + Double($0) / 10) }))
  }

  @Test func `runs that never had the store are merged, with the gaps between them`() async throws {
    let store = try await Store()
    try store.lock()
    var life = try await Life(lockedOut: store, at: 0)
    await life.receive(links)
    for number in 1..<20 { await life.receive(second(number)) }
    let (tally, loss) = await life.end(at: 20)
    #expect(loss == nil && tally.isBalanced && tally.sealed == 57)
    // The second run is killed, so its inbox has no end.
    life = try await Life(lockedOut: store, at: 50, boot: "second boot")
    await life.receive(links)
    for number in 50..<60 { await life.receive(second(number)) }
    life = try await Life(lockedOut: store, at: 70, boot: "second boot")
    await life.receive(links + [.disconnected(.address(straps[0]), time(70))])
    for number in 71..<80 { await life.receive([frame(number, of: 1), frame(number, of: 2)]) }
    try store.unlock()
    life = try await Life(store, at: 90, boot: "second boot")
    let ended = await life.end(at: 91)
    #expect(ended.tally.isBalanced && ended.tally.storedMeasurements == 19 * 3 + 10 * 3 + 9 * 2)
    let gaps = try #require(try await life.registry?.gaps(of: straps[1]))
    #expect(gaps.map(\.start) == [time(19.1), time(59.1), time(79.1)])
    #expect(gaps.map(\.end) == [time(50.1), time(71.1), nil])
    #expect(gaps.allSatisfy { $0.cause == .gatewayStopped })
  }

  @Test func `frames of monitors that are not enrolled are counted and dropped`() async throws {
    let store = try await Store()
    try store.lock()
    let sealing = try await Life(lockedOut: store, at: 0)
    let measurement = HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded
    await sealing.receive(
      links + [.connected(.address(stranger), time(0)), .repeated(.address(stranger), count: 3)])
    for number in 1..<10 {
      await sealing.receive(
        second(number) + [
          .notified(
            ValueNotification(
              peripheral: .address(stranger), characteristic: .heartRateMeasurement, value: measurement,
              receiptTime: time(Double(number))))
        ])
    }
    try store.unlock()
    let (tally, _) = await (try await Life(store, at: 20)).end(at: 21)
    #expect(tally.isBalanced && tally.storedMeasurements == 27 && tally.rejected[.notEnrolled] == 12)
    #expect(tally.measurements == 39)
  }

  @Test
  func `a merge that is killed before any of its commits stores the same samples when it is done again`()
    async throws
  {
    let all = try await reference(1..<30)
    for continues in [false, true] {
      let original = try await Store()
      if !continues { try original.lock() }
      do {
        let sealing =
          continues ? try await Life(original, at: 0) : try await Life(lockedOut: original, at: 0)
        await sealing.receive(links)
        for number in 1..<30 {
          if continues, number == 10 { try original.lock() }
          await sealing.receive(second(number))
        }
      }
      try original.unlock()
      var kill = 0
      var wasKilled = true
      while wasKilled {
        kill += 1
        let store = try Store(copying: original)
        let killed = Mutex(false)
        // Kill two runs in a row, each after some commits.
        for _ in 0..<2 {
          let left = Mutex(kill)
          _ = try await Life(store, at: 100, mergedBatch: 12) {
            left.withLock { left in
              left -= 1
              if left <= 0 { killed.withLock { $0 = true } }
              return left <= 0
            }
          }
        }
        let life = try await Life(store, at: 100, mergedBatch: 12)
        let (tally, loss) = await life.end(at: 101)
        #expect(loss == nil && tally.isBalanced)
        let samples = try await store.samples()
        #expect(heartRates(samples) == heartRates(all), "killed at commit \(kill)")
        if !continues { #expect(samples == all, "killed at commit \(kill)") }
        let gaps = try #require(try await life.registry?.gaps())
        #expect(gaps.count == 3 && gaps.allSatisfy { $0.end == nil }, "killed at commit \(kill)")
        #expect(store.inboxBytes == nil)
        wasKilled = killed.withLock(\.self)
      }
      #expect(kill > 5)
    }
  }

  @Test func `a merge whose commit fails once is completed by the same run`() async throws {
    let all = try await reference(1..<30)
    let original = try await Store()
    try original.lock()
    do {
      let sealing = try await Life(lockedOut: original, at: 0)
      await sealing.receive(links)
      for number in 1..<30 { await sealing.receive(second(number)) }
    }
    try original.unlock()
    var commit = 0
    var hasFailed = true
    while hasFailed {
      commit += 1
      let store = try Store(copying: original)
      let left = Mutex(commit)
      let life = try await Life(store, at: 100, mergedBatch: 12) {
        left.withLock { left in
          left -= 1
          return left == 0
        }
      }
      hasFailed = left.withLock { $0 <= 0 }
      guard hasFailed else { break }
      #expect(store.inboxBytes != nil)
      // A call of `receive` commits again.
      await life.receive([])
      let (tally, loss) = await life.end(at: 101)
      #expect(loss == nil && tally.isBalanced && tally.storedMeasurements == 29 * 3, "\(tally)")
      #expect(try await store.samples() == all, "commit \(commit) failed")
      #expect(try await life.registry?.gaps().count == 3)
      #expect(store.inboxBytes == nil)
    }
    #expect(commit > 5)
  }

  @Test func `missing and damaged entries become gaps, and everything else is stored`() async throws {
    let store = try await Store()
    try store.lock()
    do {
      let sealing = try await Life(lockedOut: store, at: 0)
      await sealing.receive(links)
      for number in 1..<30 { await sealing.receive(second(number)) }
      _ = await sealing.end(at: 30)
    }
    try store.unlock()
    let path = store.path + "-inbox"
    var bytes = Array(try #require(store.inboxBytes))
    let index = try InboxIndex(try #require(try InboxFile(at: path)))
    // The inbox has an entry for the start of the run, one for the links, and then one for each second.
    let (cut, flipped) = (index.entries[11], index.entries[20])
    bytes[Int(flipped.offset) + 150] ^= 1
    bytes.removeSubrange(Int(cut.offset)..<Int(cut.end))
    try Data(bytes).write(to: URL(filePath: path))
    let life = try await Life(store, at: 40)
    let (tally, _) = await life.end(at: 41)
    #expect(tally.isBalanced && tally.storedMeasurements == 27 * 3)
    let gaps = try #require(try await life.registry?.gaps(of: straps[0]))
    #expect(gaps.map(\.cause) == [.inboxDamaged, .inboxDamaged, .gatewayStopped])
    #expect(gaps.map(\.start) == [time(9), time(18), time(29)])
    #expect(gaps.map(\.end) == [time(11), time(20), nil])
  }

  @Test func `the inbox shows no address, name or value`() async throws {
    let store = try await Store()
    try store.lock()
    let sealing = try await Life(lockedOut: store, at: 0)
    await sealing.receive(
      links + straps.map { .named(.address($0), "Polar H10 12345678") }
        + [.valueRead(.address(straps[0]), .serialNumberString, AttributeValue(Array("SN-123456".utf8)))])
    for number in 1..<60 { await sealing.receive(second(number)) }
    let bytes = try #require(store.inboxBytes)
    let values = HeartRateMeasurement(heartRate: 67, rrTicks: [1024]).encoded.bytes
    var address: [UInt8] = []
    for shift in stride(from: 0, to: 48, by: 8) {
      address.append(UInt8(truncatingIfNeeded: straps[0].bits >> UInt64(shift)))
    }
    for wanted in [
      Array("Polar".utf8), Array("SN-123".utf8), Array(straps[0].description.utf8), address,
      Array(address.reversed()), values, Array("2a37".utf8),
    ] {
      #expect(bytes.range(of: Data(wanted)) == nil)
    }
  }

  @Test func `while the inbox cannot be written, measurements are kept in memory, and sealed later`()
    async throws
  {
    let store = try await Store()
    try store.lock()
    let folder = store.path + "-inbox.new"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let sealing = try await Life(lockedOut: store, at: 0)
    await sealing.receive(links)
    for number in 1..<10 { await sealing.receive(second(number)) }
    #expect(store.inboxBytes == nil)
    try FileManager.default.removeItem(atPath: folder)
    await sealing.receive(second(10))
    let (tally, loss) = await sealing.end(at: 11)
    #expect(loss == nil && tally.sealed == 30)
    // Measurements that cannot be written before the end are lost, and reported as lost.
    try store.unlock()
    let merged = await (try await Life(store, at: 20)).end(at: 21)
    #expect(merged.tally.storedMeasurements == 30 && merged.tally.isBalanced)
    try store.lock()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let losing = try await Life(lockedOut: store, at: 30)
    await losing.receive(links + second(31))
    let lost = await losing.end(at: 32)
    #expect(lost.loss?.count == 3 && lost.tally.isBalanced && lost.tally.rejected[.storeFailed] == 3)
  }
  @Test(.enabled(if: SmallDisk.canMount, "only root can mount a small disk"))
  func `on a full disk every frame stays in the inbox, is sealed later, or is counted and in a gap`()
    async throws
  {
    let disk = try SmallDisk(size: "2m")
    let store = try await Store(on: disk)
    try store.lock()
    var policy = LivePolicy()
    policy.heldBack = 60
    let sealing = try await Life(lockedOut: store, at: 0, policy: policy)
    await sealing.receive(links)
    for number in 1..<10 { await sealing.receive(second(number)) }
    try disk.fill()
    var last = 9
    repeat {
      last += 1
      await sealing.receive(second(last))
    } while await sealing.ingestion.isSealed && last < 200
    let full = last
    #expect(last < 200)
    let failure = await sealing.ingestion.failure?.localizedDescription
    #expect(failure?.contains("No space left on device") == true, "\(failure ?? "none")")
    // What was acknowledged is in the inbox as before.
    let sealed = try #require(try SealedInbox.status(ofStoreAt: store.path)?.entries)
    #expect(sealed == 1 + full)
    // Twenty seconds fit in memory.
    for _ in 0..<100 {
      last += 1
      await sealing.receive(second(last))
    }
    var summary = await sealing.ingestion.summary
    #expect(summary.isBalanced && summary.measurements == last * 3)
    try disk.makeRoom()
    // The memory is still full when these arrive.
    last += 1
    await sealing.receive(second(last))
    #expect(await sealing.ingestion.isSealed)
    let dropped = await sealing.ingestion.summary.rejected[.storeFailed] ?? 0
    #expect((240...250).contains(dropped), "\(dropped)")
    for _ in 0..<10 {
      last += 1
      await sealing.receive(second(last))
    }
    let (tally, loss) = await sealing.end(at: Double(last + 1))
    #expect(loss == nil && tally.isBalanced && tally.sealed == last * 3 - dropped)

    try store.unlock()
    let life = try await Life(store, at: Double(last + 10))
    summary = await life.ingestion.summary
    #expect(summary.isBalanced && summary.storedMeasurements == last * 3 - dropped)
    #expect(store.inboxBytes == nil)
    let database = try SampleDatabase.open(at: store.path, .none)
    for (number, strap) in straps.enumerated() {
      let stored = try await database.samples(
        .all([
          .type("HKQuantityTypeIdentifierHeartRate"), .sources(["org.hrgate.monitor.\(strap)"]),
        ]), order: []
      ).map(\.start)
      let gaps = try #require(try await life.registry?.gaps(of: strap))
      #expect(gaps.map(\.cause) == [.storeUnavailable, .gatewayStopped])
      let gap = try #require(gaps.first)
      let end = try #require(gap.end)
      for second in 1...last {
        let sent = time(Double(second) + Double(number) / 10)
        let isMissing = gap.start < sent && sent < end
        #expect(
          stored.count { $0 == sent.microsecondsSince1970 } == (isMissing ? 0 : 1), "second \(second)")
      }
    }
    try database.close()
  }
}
