import BlueZ
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

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
private let stranger = BluetoothAddress(bits: 0xC0FF_EE00_0099, kind: .random)

/// A central that follows two straps. Only one of them is enrolled in the locked store.
private final class PairedCentral: FollowingCentral {
  private let stream: AsyncThrowingStream<[CentralEvent], any Error>
  private let continuation: AsyncThrowingStream<[CentralEvent], any Error>.Continuation
  /// The lists of monitors that the gateway asked this central to follow.
  private let lists = Mutex<[Set<BluetoothAddress>]>([])
  private let sent = Mutex<[BluetoothAddress: [Int64]]>([:])
  /// The monitors that it has disconnected from.
  private let left = Mutex<Set<BluetoothAddress>>([])

  init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
  func run() async {}
  func stop() async { continuation.finish() }

  func trustedMonitors() async throws -> [EnrolledMonitor] {
    [strap, stranger].map {
      EnrolledMonitor(address: $0, name: "Strap", isBonded: false, enrolled: SystemClocks.now().wall)
    }
  }

  func follow(_ monitors: [EnrolledMonitor]) async {
    let now = Set(monitors.map(\.address))
    let before = lists.withLock { lists in
      defer { lists.append(now) }
      return lists.last ?? []
    }
    for address in before.subtracting(now) {
      // A monitor may send until the link has ended. The pauses spread its frames over the merge of the inbox.
      for _ in 0..<20 {
        measure(address)
        try? await Task.sleep(for: .milliseconds(10))
      }
      continuation.yield([
        .disconnected(.address(address), SystemClocks.now().wall), .released(.address(address)),
      ])
      left.withLock { _ = $0.insert(address) }
    }
    for address in now.subtracting(before) {
      continuation.yield([.connected(.address(address), SystemClocks.now().wall)])
    }
  }

  var followed: [Set<BluetoothAddress>] { lists.withLock(\.self) }

  func hasLeft(_ strap: BluetoothAddress) -> Bool { left.withLock { $0.contains(strap) } }

  func measure(_ strap: BluetoothAddress) {
    let time = sent.withLock { sent in
      // The gateway stores the second of two equal times as one microsecond later.
      var time = SystemClocks.now().wall
      while let last = sent[strap]?.last, time.microsecondsSince1970 <= last {
        time = SystemClocks.now().wall
      }
      sent[strap, default: []].append(time.microsecondsSince1970)
      return time
    }
    continuation.yield([
      .notified(
        ValueNotification(
          peripheral: .address(strap), characteristic: .heartRateMeasurement,
          value: HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded, receiptTime: time))
    ])
  }

  func measured(_ strap: BluetoothAddress) -> [Int64] { sent.withLock { $0[strap] ?? [] } }
}

/// Tests a gateway that starts while its encrypted store is locked.
@Suite(.enabled(if: StoreEncryption.hasKeyring), .timeLimit(.minutes(30))) struct LockedGatewayTests {
  private final class Reports: Sendable {
    private let all = Mutex<[CommitReport]>([])

    var last: CommitReport? { all.withLock(\.last) }
    func append(_ report: CommitReport) { all.withLock { $0.append(report) } }
  }

  private let folder: TemporaryFolder
  private var path: String { folder.path("s.sqlite") }

  init() async throws {
    folder = try TemporaryFolder()
    do {
      let registry = try MonitorRegistry(SystemStore(at: folder.path("s.sqlite")))
      try await registry.enrol(
        EnrolledMonitor(address: strap, name: "Strap", isBonded: false, enrolled: SystemClocks.now().wall))
      // The stranger was once in this store, which still knows its open gap.
      let start = SystemClocks.now().wall.microsecondsSince1970
      let gap = MonitorGapRecord(
        monitor: AddressRecord(stranger), start: start, end: nil, cause: "link-loss", lost: nil)
      try await registry.enrol(
        EnrolledMonitor(address: stranger, name: "Other", isBonded: false, enrolled: SystemClocks.now().wall))
      try await registry.store.database.save(MonitorChangesRecord(gaps: [gap]))
      #expect(try await registry.forget(stranger))
    }
    try StoreEncryption.encrypt(folder.path("s.sqlite"), with: secret(), cost: 1 << 10)
    #expect(try StoreEncryption.lock(folder.path("s.sqlite")))
  }

  private func secret() throws -> KeySecret {
    var bytes = Array("correct horse".utf8)
    return .passphrase(try SecretBytes(taking: &bytes))
  }

  private func gateway(_ central: PairedCentral, _ people: People? = nil) -> MultiUserGateway {
    var policy = LivePolicy()
    policy.commitInterval = .milliseconds(1)
    policy.firstRetry = .milliseconds(5)
    policy.longestRetry = .milliseconds(20)
    policy.derivesFigures = false
    policy.condenses = false
    let path = path
    return MultiUserGateway(
      people: people, path: path, policy: policy, openOwners: { try MonitorRegistry(SystemStore(at: path)) }
    ) { _ in central }
  }

  @Test func `it records sealed, stores everything after unlocking, and keeps its links`() async throws {
    let central = PairedCentral()
    let gateway = gateway(central)
    let reports = Reports()
    let updates = gateway.updates()
    let listening = Task {
      for await update in updates {
        if case .committed(let report) = update.event.event { reports.append(report) }
      }
    }
    let running = Task { try await gateway.run() }
    try #require(await eventually { !central.followed.isEmpty })
    #expect(central.followed == [[strap, stranger]])
    for _ in 0..<20 {
      central.measure(strap)
      central.measure(stranger)
      try await Task.sleep(for: .milliseconds(5))
    }
    try #require(await eventually { reports.last?.tally.sealed == 40 })
    #expect(reports.last?.isSealing == true && reports.last?.tally.isBalanced == true)
    #expect(reports.last?.failure?.localizedDescription.contains("recorded in an encrypted file") == true)
    try StoreEncryption.unlock(path, with: secret())
    // Frames that arrive while the gateway changes from the sealed inbox to the unlocked store are not lost.
    // Those of the stranger never reach the store: it may be another person's.
    for _ in 0..<300 where reports.last?.isSealing == true || !central.hasLeft(stranger) {
      central.measure(strap)
      central.measure(stranger)
      try await Task.sleep(for: .milliseconds(20))
    }
    try #require(central.hasLeft(stranger) && reports.last?.isSealing == false)
    central.measure(strap)
    try #require(
      await eventually { reports.last?.tally.storedMeasurements == central.measured(strap).count })
    // When only the store's monitors are followed, those of the stranger do not reach the gateway any more.
    let rejected = try #require(reports.last?.tally.rejected)
    #expect(Set(rejected.keys) == [.notEnrolled])
    #expect((20...central.measured(stranger).count).contains(rejected[.notEnrolled] ?? 0), "\(rejected)")
    #expect(reports.last?.isSealing == false)
    #expect(!FileManager.default.fileExists(atPath: path + "-inbox"))
    // Lock the store again while the gateway runs, and end the gateway before it is unlocked.
    #expect(try StoreEncryption.lock(path))
    central.measure(strap)
    try #require(await eventually { reports.last?.isSealing == true })
    for _ in 0..<20 { central.measure(strap) }
    running.cancel()
    try await running.value
    await listening.value
    // The gateway has followed the strap all the time.
    #expect(central.followed.allSatisfy { $0.contains(strap) })
    try StoreEncryption.unlock(path, with: secret())
    let last = HeartRateGateway(
      try MonitorRegistry(SystemStore(at: path)), central: EmptyCentral(), policy: LivePolicy())
    try await last.run()
    let registry = try MonitorRegistry(SystemStore(at: path))
    let stored = try await registry.store.database.samples(
      .type("HKQuantityTypeIdentifierHeartRate"), order: [])
    let times = central.measured(strap)
    #expect(stored.count == times.count)
    // The first measurement after unlocking is later by the difference between two readings of the clocks
    // (`ClientTimes`), if the later reading is ahead. All others have exactly their times.
    let later = zip(stored.map(\.start).sorted(), times).filter { $0 != $1 }
    #expect(later.count <= 1 && later.allSatisfy { (1...100).contains($0 - $1) }, "\(later)")
    let gaps = try await registry.gaps().filter { $0.monitor == strap }
    #expect(gaps.map(\.cause) == [.gatewayStopped] && gaps.first?.end == nil)
    #expect(gaps.first?.start.microsecondsSince1970 == central.measured(strap).last)
    _ = try StoreEncryption.lock(path)
  }

  /// As `hrgate store unlock`, which stores the inbox itself if no gateway runs.
  @Test func `no other program becomes the gateway while the store is unlocked`() async throws {
    let central = PairedCentral()
    let gateway = gateway(central)
    let running = Task { try await gateway.run() }
    try #require(await eventually { !central.followed.isEmpty })
    let isOver = Mutex(false)
    // Without a pause, because the lock would be free for a moment only.
    let other = Task.detached { [path] in
      let lock = ProgramLock(ofGatewayOfDatabaseAt: path)
      var taken = 0
      while !isOver.withLock(\.self) {
        if !lock.isTaken { taken += 1 }
      }
      return taken
    }
    central.measure(strap)
    try StoreEncryption.unlock(path, with: secret())
    try #require(await eventually { !FileManager.default.fileExists(atPath: path + "-inbox") })
    isOver.withLock { $0 = true }
    #expect(await other.value == 0)
    running.cancel()
    try await running.value
    // Afterwards it is free.
    #expect(!ProgramLock(ofGatewayOfDatabaseAt: path).isTaken)
    _ = try StoreEncryption.lock(path)
  }

  @Test func `a gateway that ends while the store is unlocked leaves no lock`() async throws {
    for pause in [0, 300, 700, 1000, 1100, 1200] {
      let central = PairedCentral()
      let gateway = gateway(central)
      let running = Task { try await gateway.run() }
      try #require(await eventually { !central.followed.isEmpty })
      try StoreEncryption.unlock(path, with: secret())
      try await Task.sleep(for: .milliseconds(pause))
      running.cancel()
      try await running.value
      #expect(!ProgramLock(ofGatewayOfDatabaseAt: path).isTaken, "\(pause)")
      #expect(try StoreEncryption.lock(path))
    }
  }

  @Test func `with several people it does not record, because the list of monitors is locked`() async throws {
    let people = People(DataHome(folder.path("hrgate")))
    try people.add(PersonName("anna"))
    let central = PairedCentral()
    let gateway = gateway(central, people)
    await #expect { try await gateway.run() } throws: { "\($0.localizedDescription)".contains("locked") }
    #expect(central.followed.isEmpty && !FileManager.default.fileExists(atPath: path + "-inbox"))
  }
}

private struct EmptyCentral: Central {
  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { AsyncThrowingStream { $0.finish() } }
}
