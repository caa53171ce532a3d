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

/// A central shared by several people. It emits the given events until it is stopped.
private final class MultiUserCentral: FollowingCentral {
  private let stream: AsyncThrowingStream<[CentralEvent], any Error>
  private let continuation: AsyncThrowingStream<[CentralEvent], any Error>.Continuation
  private let followed = Mutex<[BluetoothAddress]>([])

  init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
  func run() async {}
  func stop() async { continuation.finish() }

  func follow(_ monitors: [EnrolledMonitor]) async {
    let (before, now) = followed.withLock { followed in
      defer { followed = monitors.map(\.address) }
      return (followed, monitors.map(\.address))
    }
    for address in before where !now.contains(address) {
      continuation.yield([.released(.address(address))])
    }
    for address in now where !before.contains(address) {
      continuation.yield([.connected(.address(address), SystemClocks.now().wall)])
    }
  }

  func follows(_ strap: BluetoothAddress) -> Bool { followed.withLock { $0.contains(strap) } }

  func measure(_ strap: BluetoothAddress) {
    continuation.yield([
      .notified(
        ValueNotification(
          peripheral: .address(strap), characteristic: .heartRateMeasurement,
          value: HeartRateMeasurement(heartRate: 60, rrTicks: [1024]).encoded,
          receiptTime: SystemClocks.now().wall))
    ])
  }
}

/// A gateway of several people that runs in its own task, and the events it has sent.
private final class TestMultiUser: Sendable {
  let gateway: MultiUserGateway
  let central = MultiUserCentral()
  private let task: Task<Void, any Error>
  private let listening: Task<Void, Never>
  private let received = ReceivedEvents()

  private final class ReceivedEvents: Sendable {
    let events = Mutex<[TimedGatewayEvent]>([])
  }

  convenience init(
    _ owner: MonitorRegistry, _ people: People, heldBack: Int = 100_000,
    clockTimeout: Duration = .seconds(3),
    openStore: @escaping @Sendable (String) throws -> MonitorRegistry = {
      try MonitorRegistry(SystemStore(at: $0))
    }
  ) {
    self.init(
      people, heldBack: heldBack, clockTimeout: clockTimeout, openStore: openStore, openOwners: { owner })
  }

  /// - Parameter unavailable: The error that is thrown instead of making a central.
  init(
    _ people: People, heldBack: Int = 100_000, waits: Bool = false, clockTimeout: Duration = .seconds(3),
    ownersTimeout: Duration = .seconds(600), unavailable: (any Error)? = nil,
    openStore: @escaping @Sendable (String) throws -> MonitorRegistry = {
      try MonitorRegistry(SystemStore(at: $0))
    },
    openOwners: @escaping @Sendable () throws -> MonitorRegistry
  ) {
    var policy = LivePolicy()
    policy.waitsForAnother = waits
    policy.lookForAnother = .milliseconds(5)
    policy.commitInterval = .milliseconds(1)
    policy.firstRetry = .milliseconds(5)
    policy.longestRetry = .milliseconds(20)
    policy.derivesFigures = false
    policy.heldBack = heldBack
    let gateway = MultiUserGateway(
      people: people, policy: policy, clockTimeout: clockTimeout, ownersTimeout: ownersTimeout,
      openOwners: openOwners, openStore: openStore
    ) { [central] _ in
      if let unavailable { throw unavailable }
      return central
    }
    self.gateway = gateway
    let updates = gateway.updates()
    listening = Task { [received] in
      for await update in updates { received.events.withLock { $0.append(update.event) } }
    }
    task = Task { try await gateway.run() }
  }

  var events: [TimedGatewayEvent] { received.events.withLock(\.self) }

  /// Returns the newest commit report of a person's store.
  func report(_ person: String?) -> CommitReport? {
    for event in events.reversed() where event.person == person {
      if case .committed(let report) = event.event { return report }
    }
    return nil
  }

  func stored(_ person: String?) -> Int { report(person)?.tally.storedMeasurements ?? 0 }

  /// Returns the gaps in the commit reports. A gap occurs once for each of its changes.
  func gaps(_ person: String?) -> [MonitorGap] {
    events.flatMap { event -> [MonitorGap] in
      guard event.person == person, case .committed(let report) = event.event else { return [] }
      return report.gaps
    }
  }

  /// Returns the newest counts that were reported while a commit was pending.
  func counted(_ person: String?) -> (tally: IngestionTally, heldBack: Int)? {
    for event in events.reversed() where event.person == person {
      if case .counted(let tally, let heldBack) = event.event { return (tally, heldBack) }
    }
    return nil
  }

  /// The result of a run that ends without being canceled.
  var result: Result<Void, any Error> {
    get async {
      let result = await task.result
      await listening.value
      return result
    }
  }

  /// Cancels the run and returns the final tallies.
  func end() async throws -> [String?: IngestionTally] {
    task.cancel()
    try await task.value
    await listening.value
    return events.reduce(into: [:]) { ends, event in
      if case .ended(let tally) = event.event { ends[event.person] = tally }
    }
  }
}

/// Tests, with real files, that trouble with one person's store does not affect the others.
@Suite(.timeLimit(.minutes(30))) struct MultiUserGatewayTests {
  private static let owners = BluetoothAddress(bits: 0xC0FF_EE00_0001, kind: .random)
  private static let annas = BluetoothAddress(bits: 0xC0FF_EE00_0002, kind: .random)
  private static let bens = BluetoothAddress(bits: 0xC0FF_EE00_0003, kind: .random)

  private let folder: TemporaryFolder
  private let people: People

  init() throws {
    folder = try TemporaryFolder()
    people = People(DataHome(folder.path("hrgate")))
  }

  private func store(_ person: String) throws -> String { try people.home.store(of: person) }

  private func add(_ person: String) throws { try people.add(PersonName(person)) }

  private func enrol(_ strap: BluetoothAddress, in registry: MonitorRegistry) async throws {
    try await registry.enrol(
      EnrolledMonitor(address: strap, isBonded: true, enrolled: SystemClocks.now().wall))
  }

  private func owner() async throws -> MonitorRegistry {
    let registry = try MonitorRegistry(at: .file(people.home.ownersStore))
    try await enrol(Self.owners, in: registry)
    return registry
  }

  /// Lets each strap measure once it is followed, and waits until the measurements are stored.
  private func begin(_ users: TestMultiUser, _ straps: [String?: BluetoothAddress]) async throws {
    for (person, strap) in straps {
      try #require(await eventually { users.central.follows(strap) })
      users.central.measure(strap)
      try #require(await eventually { users.stored(person) == 1 }, "\(person ?? "owner")")
    }
  }

  @Test func `a store locked by another program delays no other store and loses nothing`()
    async throws
  {
    let owner = try await owner()
    for (name, strap) in [("Anna", Self.annas), ("Ben", Self.bens)] {
      try add(name)
      try await enrol(strap, in: MonitorRegistry(at: .file(store(name))))
    }
    let users = TestMultiUser(owner, people)
    try await begin(users, [nil: Self.owners, "Anna": Self.annas, "Ben": Self.bens])
    let lock = try StoreLock(store("Anna"))
    for count in 2...4 {
      for strap in [Self.annas, Self.bens, Self.owners] { users.central.measure(strap) }
      #expect(await eventually { users.stored("Ben") == count && users.stored(nil) == count })
    }
    #expect(users.stored("Anna") == 1)
    try lock.release()
    #expect(await eventually { users.stored("Anna") == 4 })
    let ends = try await users.end()
    for person in [nil, "Anna", "Ben"] {
      let tally = ends[person]
      #expect(tally?.isBalanced == true && tally?.storedMeasurements == 4, "\(person ?? "owner")")
      #expect(tally?.rejected == [:])
    }
  }

  @Test(.enabled(if: SmallDisk.canMount, "only an administrator can mount a disk"))
  func `a store on a full disk delays no other store, and stores everything once there is room`() async throws
  {
    let owner = try await owner()
    for (name, strap) in [("Anna", Self.annas), ("Ben", Self.bens)] {
      try add(name)
      if name == "Anna" { continue }
      try await enrol(strap, in: MonitorRegistry(at: .file(store(name))))
    }
    let disk = try SmallDisk(size: "8m", at: people.home.path + "/people/Anna")
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    let users = TestMultiUser(owner, people)
    try await begin(users, [nil: Self.owners, "Anna": Self.annas, "Ben": Self.bens])
    try disk.fill()
    // The first commits succeed on the full disk, because the write-ahead log already has space for them.
    var sent = 1
    let isRefused = await eventually {
      users.central.measure(Self.annas)
      sent += 1
      return users.report("Anna")?.failure != nil
    }
    #expect(isRefused)
    for count in 2...4 {
      for strap in [Self.bens, Self.owners] { users.central.measure(strap) }
      #expect(await eventually { users.stored("Ben") == count && users.stored(nil) == count })
    }
    #expect(users.report("Ben")?.failure == nil && users.report(nil)?.failure == nil)
    try disk.makeRoom()
    #expect(await eventually { users.stored("Anna") == sent })
    let ends = try await users.end()
    #expect(ends["Anna"]?.storedMeasurements == sent && ends["Anna"]?.isBalanced == true)
    #expect(ends["Ben"]?.storedMeasurements == 4 && ends[nil]?.storedMeasurements == 4)
  }

  /// Expects that Anna's store reports a failure with this reason, and keeps no more in memory than allowed.
  private func expectFailing(_ users: TestMultiUser, heldBack: Int, _ reason: String) async {
    users.central.measure(Self.annas)
    #expect(await eventually { users.report("Anna")?.failure != nil })
    let failure = users.report("Anna")?.failure?.localizedDescription ?? ""
    #expect(failure.contains(reason), "\(failure)")
    var sent = 0
    let isShed = await eventually {
      users.central.measure(Self.annas)
      sent += 1
      return users.report("Anna")?.tally.rejected[.storeFailed] ?? 0 > 0
    }
    // A frame with one beat counts twice in memory: as a heart rate and as a part of a heartbeat series.
    #expect(isShed && users.report("Anna")?.heldBack ?? .max <= 2 * heldBack)
    users.central.measure(Self.owners)
    #expect(await eventually { users.stored(nil) == 2 })
    #expect(users.report(nil)?.failure == nil)
  }

  @Test(.enabled(if: SmallDisk.canMount, "only an administrator can mount a disk"))
  func `a read-only file system is reported at once, though writes succeed, and all is stored later`()
    async throws
  {
    let owner = try await owner()
    try add("Anna")
    let disk = try SmallDisk(size: "8m", at: people.home.path + "/people/Anna")
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    let users = TestMultiUser(owner, people, heldBack: 4)
    try await begin(users, [nil: Self.owners, "Anna": Self.annas])
    try disk.cover()
    await expectFailing(users, heldBack: 4, "is read-only")
    #expect(users.stored("Anna") == 1)
    try disk.uncover()
    #expect(
      await eventually { users.report("Anna").map { $0.failure == nil && $0.heldBack == 0 } == true })
    let end = try #require(try await users.end()["Anna"])
    #expect(end.isBalanced && end.storedMeasurements > 1)
    let gaps = users.gaps("Anna")
    #expect(gaps.contains { $0.cause == .storeUnavailable })
  }

  @Test(.enabled(if: JournalledDisk.canMount, "only an administrator can mount a disk"))
  func `a disk that rejects each write is reported at once, and the next run has a gap`() async throws {
    let owner = try await owner()
    try add("Anna")
    let disk = try JournalledDisk(at: people.home.path + "/people/Anna")
    do {
      try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
      let users = TestMultiUser(owner, people, heldBack: 4)
      try await begin(users, [nil: Self.owners, "Anna": Self.annas])
      try disk.fail()
      // The error is SQLITE_IOERR and not SQLITE_READONLY: the file is open for writing, but each write
      // fails. Older kernels report a read-only file system.
      await expectFailing(users, heldBack: 4, "read-only")
      await #expect(throws: LostMeasurementsError.self) { try await users.end() }
      let end = users.events.compactMap { event -> IngestionTally? in
        guard event.person == "Anna", case .ended(let tally) = event.event else { return nil }
        return tally
      }
      #expect(end.last.map { $0.isBalanced && $0.storedMeasurements == 1 } == true)
    }
    try disk.remount()
    let users = TestMultiUser(try MonitorRegistry(at: .file(people.home.ownersStore)), people)
    try await begin(users, ["Anna": Self.annas])
    _ = try await users.end()
    let gaps = users.gaps("Anna")
    #expect(gaps.contains { $0.end != nil }, "\(gaps)")
  }

  @Test func `a damaged store is reported with its reason repeatedly, and affects no other store`()
    async throws
  {
    let owner = try await owner()
    for name in ["Anna", "Ben"] { try add(name) }
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    let damaged = Data(repeating: 7, count: 8192)
    let bensStore = try store("Ben")
    try damaged.write(to: URL(filePath: bensStore))
    let opened = Mutex<[String]>([])
    let users = TestMultiUser(
      owner, people,
      openStore: { path in
        opened.withLock { $0.append(path) }
        return try MonitorRegistry(SystemStore(at: path))
      })
    try await begin(users, [nil: Self.owners, "Anna": Self.annas])
    func refusals() -> [String] {
      users.events.compactMap { event in
        if case .refused(let reason) = event.event, event.person == "Ben" { reason } else { nil }
      }
    }
    #expect(await eventually { refusals().count > 1 })
    #expect(refusals().allSatisfy { $0.contains("is not a health store") }, "\(refusals())")
    // Ben's damaged store is not opened to read its clock, because opening would write to it.
    #expect(!opened.withLock(\.self).contains(bensStore))
    #expect(try Data(contentsOf: URL(filePath: bensStore)) == damaged)
    // After the repair, the gateway uses Ben's store again without a restart.
    try FileManager.default.removeItem(atPath: store("Ben"))
    try await enrol(Self.bens, in: MonitorRegistry(at: .file(store("Ben"))))
    try await begin(users, ["Ben": Self.bens])
    let ends = try await users.end()
    for person in [nil, "Anna", "Ben"] {
      #expect(ends[person]?.storedMeasurements == 1, "\(person ?? "owner")")
    }
  }

  // MARK: - Trouble with the owner's store

  /// Starts a gateway in which only Anna has a strap. The owner's store is opened as a command opens it.
  private func annaAlone(
    waits: Bool = false, unavailable: (any Error)? = nil
  ) async throws -> TestMultiUser {
    try add("Anna")
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    return TestMultiUser(people, waits: waits, unavailable: unavailable, openOwners: openOwners)
  }

  private var openOwners: @Sendable () throws -> MonitorRegistry {
    { [path = people.home.ownersStore] in
      try StoreCare.refuseDamaged(path)
      return try MonitorRegistry(SystemStore(at: path))
    }
  }

  private func damageOwners() throws {
    try FileManager.default.createDirectory(atPath: people.home.path, withIntermediateDirectories: true)
    try Data(repeating: 7, count: 8192).write(to: URL(filePath: people.home.ownersStore))
  }

  @Test func `a damaged store of the owner is reported, left unchanged, and used once it is repaired`()
    async throws
  {
    try damageOwners()
    let users = try await annaAlone()
    try await begin(users, ["Anna": Self.annas])
    func refusals() -> [String] {
      users.events.compactMap { event in
        if case .refused(let reason) = event.event, event.person == nil { reason } else { nil }
      }
    }
    #expect(await eventually { refusals().count > 1 })
    #expect(refusals().allSatisfy { $0.contains("is not a health store") }, "\(refusals())")
    #expect(
      try Data(contentsOf: URL(filePath: people.home.ownersStore)) == Data(repeating: 7, count: 8192))
    try FileManager.default.removeItem(atPath: people.home.ownersStore)
    _ = try await owner()
    try await begin(users, [nil: Self.owners])
    let ends = try await users.end()
    #expect(ends[nil]?.storedMeasurements == 1 && ends["Anna"]?.storedMeasurements == 1)
    try expectOwnersLastWord(users)
  }

  /// Expects that the owner's final tally is the last event.
  private func expectOwnersLastWord(_ users: TestMultiUser) throws {
    let last = try #require(users.events.last)
    guard case .ended = last.event, last.person == nil else {
      Issue.record("\(last)")
      return
    }
  }

  @Test
  func `if the owner's store stays damaged, the others end normally and the owner's tally is empty`()
    async throws
  {
    try damageOwners()
    let users = try await annaAlone()
    try await begin(users, ["Anna": Self.annas])
    let ends = try await users.end()
    #expect(ends["Anna"]?.storedMeasurements == 1 && ends[nil]?.measurements == 0)
    try expectOwnersLastWord(users)
  }

  @Test func `a damaged store of the owner ends the run if no other person has monitors`() async throws {
    try damageOwners()
    for name in ["Anna", "Ben"] { try add(name) }
    _ = try MonitorRegistry(at: .file(store("Anna")))
    try Data(repeating: 7, count: 8192).write(to: URL(filePath: store("Ben")))
    let users = TestMultiUser(people, openOwners: openOwners)
    await #expect(throws: UnusableStoreError.self) { try await users.result.get() }
    #expect(
      users.events.allSatisfy { event in
        switch event.event {
        case .refused, .stopping: event.person == nil
        default: false
        }
      })
  }

  @Test
  func `if other stores hang, the owner's error is reported, and the end is not delayed`()
    async throws
  {
    try damageOwners()
    try add("Anna")
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    let shut = DispatchSemaphore(value: 0)
    let users = TestMultiUser(
      people, clockTimeout: .milliseconds(1),
      openStore: { path in
        shut.wait()
        shut.signal()
        return try MonitorRegistry(SystemStore(at: path))
      }, openOwners: openOwners)
    func isRefused() -> Bool {
      users.events.contains { if case .refused = $0.event { $0.person == nil } else { false } }
    }
    #expect(await eventually { isRefused() })
    let end = Task { try await users.end() }
    let hasEnded = Mutex(false)
    let waiting = Task {
      _ = await end.result
      hasEnded.withLock { $0 = true }
    }
    #expect(await eventually { hasEnded.withLock(\.self) })
    shut.signal()
    await waiting.value
    #expect(try await end.value[nil]?.measurements == 0)
  }

  @Test
  func `if another gateway has the owner's store, the owner is followed after it ended`()
    async throws
  {
    let other = try await owner()
    try await other.becomeGateway()
    let users = try await annaAlone(waits: true)
    try await begin(users, ["Anna": Self.annas])
    #expect(
      users.events.contains { if case .waiting = $0.event { $0.person == nil } else { false } })
    other.resignAsGateway()
    try await begin(users, [nil: Self.owners])
    let ends = try await users.end()
    #expect(ends[nil]?.storedMeasurements == 1 && ends["Anna"]?.storedMeasurements == 1)
  }

  @Test func `without waiting, the run ends if another gateway has the owner's store`() async throws {
    let other = try await owner()
    try await other.becomeGateway()
    let users = try await annaAlone()
    await #expect(throws: HKError.self) { try await users.result.get() }
    #expect(!users.events.contains { if case .refused = $0.event { true } else { false } })
    other.resignAsGateway()
  }

  @Test func `without a central the run ends, whichever store needs it first`() async throws {
    struct NoBluetoothError: Error {}
    try damageOwners()
    let damaged = try await annaAlone(unavailable: NoBluetoothError())
    await #expect(throws: NoBluetoothError.self) { try await damaged.result.get() }
    try FileManager.default.removeItem(atPath: people.home.ownersStore)
    let sound = TestMultiUser(people, unavailable: NoBluetoothError(), openOwners: openOwners)
    await #expect(throws: NoBluetoothError.self) { try await sound.result.get() }
    #expect(!sound.events.contains { if case .refused = $0.event { true } else { false } })
  }

  @Test func `if opening the owner's store hangs, the others are followed meanwhile`() async throws {
    try add("Anna")
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    let registry = try await owner()
    let shut = DispatchSemaphore(value: 0)
    let users = TestMultiUser(people, ownersTimeout: .milliseconds(1)) {
      shut.wait()
      return registry
    }
    try await begin(users, ["Anna": Self.annas])
    shut.signal()
    try await begin(users, [nil: Self.owners])
    let ends = try await users.end()
    #expect(ends[nil]?.storedMeasurements == 1 && ends["Anna"]?.storedMeasurements == 1)
  }

  @Test
  func `a hanging owner's store is reported, the other feeds the watchdog, nothing is lost`()
    async throws
  {
    let owner = try await owner()
    // With this timeout, waiting for the store takes longer than any test, like a store whose disk has gone.
    owner.store.database.timeout.usual = .seconds(3600)
    try add("Anna")
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    let users = TestMultiUser(owner, people)
    try await begin(users, [nil: Self.owners, "Anna": Self.annas])
    let clock = ManualClock()
    let worked = Mutex(0)
    let turning = Task {
      await users.gateway.runLivenessProbes(every: .seconds(60), clock: clock) { worked.withLock { $0 += 1 } }
    }
    /// Returns the last reported state of the owner's store. Because the test advances the clock, any step
    /// may be reported as hanging until the next one.
    func isHanging() -> Bool? {
      users.events.compactMap { event -> Bool? in
        guard event.person == nil, case .hanging(.store, let isHanging) = event.event else { return nil }
        return isHanging
      }.last
    }
    #expect(await eventually { worked.withLock(\.self) >= 2 })
    #expect(isHanging() != true)
    let lock = try StoreLock(people.home.ownersStore)
    users.central.measure(Self.owners)
    let before = worked.withLock(\.self)
    #expect(
      await eventually {
        clock.advance(by: .seconds(60))
        return isHanging() == true && worked.withLock(\.self) > before + 2
      })
    // Events that arrive while the store hangs are counted and kept in memory.
    users.central.measure(Self.owners)
    #expect(await eventually { users.counted(nil)?.tally.measurements == 3 })
    #expect(users.counted(nil).map { $0.heldBack > 0 && $0.tally.storedMeasurements == 1 } == true)
    users.central.measure(Self.annas)
    #expect(await eventually { users.stored("Anna") == 2 })
    try lock.release()
    #expect(
      await eventually {
        clock.advance(by: .seconds(60))
        return isHanging() == false && users.stored(nil) == 3
      })
    turning.cancel()
    await turning.value
    let ends = try await users.end()
    #expect(ends[nil]?.storedMeasurements == 3 && ends["Anna"]?.storedMeasurements == 2)
  }

  @Test func `a store that hangs while it is opened does not delay the end`() async throws {
    let owner = try await owner()
    try add("Anna")
    try await enrol(Self.annas, in: MonitorRegistry(at: .file(store("Anna"))))
    let shut = DispatchSemaphore(value: 0)
    let comers = Mutex(0)
    let users = TestMultiUser(owner, people, clockTimeout: .milliseconds(1)) { path in
      comers.withLock { $0 += 1 }
      shut.wait()
      shut.signal()
      return try MonitorRegistry(SystemStore(at: path))
    }
    try await begin(users, [nil: Self.owners])
    // Both calls that open Anna's store hang: one reads its clock, and the other reads its monitors.
    #expect(await eventually { comers.withLock(\.self) == 2 })
    let end = Task { try await users.end() }
    let hasEnded = Mutex(false)
    let waiting = Task {
      _ = await end.result
      hasEnded.withLock { $0 = true }
    }
    #expect(await eventually { hasEnded.withLock(\.self) })
    shut.signal()
    await waiting.value
    #expect(try await end.value[nil]?.storedMeasurements == 1)
  }

  @Test func `a person who ends with the run is reported after the stop, and a removed person before it`()
    async throws
  {
    let owner = try await owner()
    for (name, strap) in [("Anna", Self.annas), ("Ben", Self.bens)] {
      try add(name)
      try await enrol(strap, in: MonitorRegistry(at: .file(store(name))))
    }
    let users = TestMultiUser(owner, people)
    try await begin(users, [nil: Self.owners, "Anna": Self.annas, "Ben": Self.bens])
    _ = try await people.remove(PersonName("Ben"), deletingData: false)
    func place(_ isIt: (TimedGatewayEvent) -> Bool) -> Int? { users.events.firstIndex(where: isIt) }
    func end(_ person: String?) -> Int? {
      place { event in if case .ended = event.event { event.person == person } else { false } }
    }
    #expect(await eventually { end("Ben") != nil })
    _ = try await users.end()
    let stopping = try #require(place { if case .stopping = $0.event { true } else { false } })
    #expect(try #require(end("Ben")) < stopping)
    #expect(try #require(end("Anna")) > stopping && #require(end(nil)) > stopping)
  }

  @Test func `the clocks of all stores are read concurrently`() async throws {
    for name in ["Anna", "Ben"] {
      try add(name)
      _ = try MonitorRegistry(at: .file(store(name)))
    }
    let comers = Mutex(0)
    let met = Mutex(0)
    let clocks = ClientClocks(people, timeout: .seconds(600)) { path in
      comers.withLock { $0 += 1 }
      // Each call waits for the other one. If the stores were opened one after the other, the second call
      // would not start.
      let deadline = ContinuousClock.now + hangLimit
      while comers.withLock(\.self) < 2 && ContinuousClock.now < deadline { usleep(1000) }
      if comers.withLock(\.self) == 2 { met.withLock { $0 += 1 } }
      return try MonitorRegistry(SystemStore(at: path))
    }
    let now = SystemClocks.now()
    _ = await clocks.latest(ReceiptClock(boottimeNanoseconds: now.boottimeNanoseconds, wall: now.wall))
    #expect(met.withLock(\.self) == 2)
  }
}
