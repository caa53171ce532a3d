public import Bluetooth
public import HealthKit
import HealthStorage
package import HealthSystem
public import Ingestion

/// The monitors that the user enrolled, and the gaps in what arrived from them, as the store keeps them.
///
/// Every process that has the store open sees what is written here. It is for the gateway and for the user:
/// no application has a part in it.
public struct MonitorRegistry: Sendable {
  package let store: SystemStore

  package init(_ store: SystemStore) { self.store = store }

  /// - Parameter healthStore: A handle on a store in which everything is permitted: in memory, or in a file
  ///   that is not the user's own.
  /// - Throws: `HKError`: errorAuthorizationDenied for a handle of an application; errorDatabaseInaccessible.
  public init(_ healthStore: HKHealthStore) throws { store = try SystemStore(healthStore) }

  /// The registry of the store in a place; a file is made if it is not there.
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason.
  public init(at location: HKHealthStore.Configuration.Location) throws {
    switch location {
    case .user: try self.init(SystemStore.ofUser())
    case .file(let path): try self.init(SystemStore(at: path))
    case .memory: try self.init(HKHealthStore.inMemory())
    }
  }

  /// The enrolled monitors, in the order in which they were enrolled.
  /// - Throws: `HKError`.
  public func monitors() async throws -> [EnrolledMonitor] {
    try await HKError.translating { try await store.database.monitors().compactMap(EnrolledMonitor.init) }
  }

  /// The enrolled monitors with this address or name, in any letter case. Several may have the same name.
  /// - Throws: `HKError`.
  public func monitors(named text: String) async throws -> [EnrolledMonitor] {
    try await monitors().filter {
      $0.address.description == text.uppercased() || $0.name?.lowercased() == text.lowercased()
    }
  }

  /// - Returns: `nil` for a monitor that is not enrolled.
  /// - Throws: `HKError`.
  public func monitor(_ address: BluetoothAddress) async throws -> EnrolledMonitor? {
    try await HKError.translating {
      try await store.database.monitor(AddressRecord(address)).flatMap(EnrolledMonitor.init)
    }
  }

  /// The monitors that a gateway has followed for this store, enrolled still or not.
  /// - Throws: `HKError`.
  func followed() async throws -> Set<BluetoothAddress> {
    try await HKError.translating {
      Set(try await store.database.followedMonitors().compactMap(BluetoothAddress.init))
    }
  }

  /// Enrols a monitor. One that is enrolled already is changed: it keeps the time at which it was first
  /// enrolled, and what is `nil` now.
  /// - Throws: `HKError`.
  public func enrol(_ monitor: EnrolledMonitor) async throws {
    try await HKError.translating { try await store.database.enrol(monitor.record) }
  }

  /// Declares how a monitor deviates from the specification. It applies to runs that begin later, and to
  /// recordings that are replayed into this store later.
  ///
  /// - Returns: Whether the monitor is enrolled.
  /// - Throws: `HKError`.
  @discardableResult
  public func declare(_ settings: MonitorSettings, of address: BluetoothAddress) async throws -> Bool {
    try await HKError.translating {
      try await store.database.declare(
        intervalUnit: settings.intervalUnit == .standard ? nil : settings.intervalUnit.rawValue,
        ignoresContact: settings.ignoresSensorContact, of: AddressRecord(address))
    }
  }

  /// Declares what was declared about the same monitor under another address or in another person's store,
  /// unless something is declared about it here.
  /// - Throws: `HKError`.
  package func adopt(_ settings: MonitorSettings, of address: BluetoothAddress) async throws {
    let none = MonitorSettings()
    guard settings != none, try await monitor(address)?.settings == none else { return }
    try await declare(settings, of: address)
  }

  /// Ends the enrolment of a monitor and deletes what was declared about it. Its samples stay in the store,
  /// and so do its gaps.
  /// - Returns: Whether it was enrolled.
  /// - Throws: `HKError`.
  @discardableResult
  public func forget(_ address: BluetoothAddress) async throws -> Bool {
    try await HKError.translating { try await store.database.forgetMonitor(AddressRecord(address)) }
  }

  /// Keeps what was learnt about an enrolled monitor. Where an argument is `nil`, the stored value stays; so
  /// it does where a time is earlier than the stored one.
  /// - Returns: Whether it is enrolled.
  /// - Throws: `HKError`.
  @discardableResult
  package func updateStatus(
    of address: BluetoothAddress, lastSeen: ReceiptTime? = nil, battery: Int? = nil,
    adapter: BluetoothAddress? = nil, isBonded: Bool? = nil, state: MonitorState? = nil
  ) async throws -> Bool {
    var status = MonitorStatusRecord(address: AddressRecord(address))
    status.lastSeen = lastSeen?.microsecondsSince1970
    status.battery = battery
    status.adapter = adapter.map(AddressRecord.init)
    status.isBonded = isBonded
    status.state = state?.rawValue
    return try await updateStatuses([status]).contains(status.address)
  }

  /// Keeps what was learnt about monitors, in one transaction.
  /// - Returns: Those of them that are enrolled.
  /// - Throws: `HKError`.
  func updateStatuses(_ statuses: [MonitorStatusRecord]) async throws -> Set<AddressRecord> {
    try await HKError.translating { try await store.database.update(statuses) }
  }

  /// Ticks when monitors are enrolled, enrolled anew or forgotten, by this process or another; not when their
  /// status changes. For one consumer; it ends with the task.
  ///
  /// It listens from the call on: read ``monitors()`` after it and again at each element. It costs nothing
  /// while nobody writes to the store.
  /// - Throws: `HKError`.
  public func changes() async throws -> some AsyncSequence<Void, Never> & Sendable {
    try await EnrolmentChanges(store, clock: ContinuousClock())
  }

  /// Makes the caller the store's only gateway, until ``resignAsGateway()``, or until the program ends or
  /// drops its last handle on the store. Two would each store what arrives: call it before a ``LivePipeline``
  /// runs.
  /// - Throws: `HKError`, errorDatabaseInaccessible, if there is a gateway, in this program or another; it
  ///   says in which.
  package func becomeGateway() async throws {
    try HKError.translating { try store.database.becomeGateway() }
  }

  /// As ``becomeGateway()``, and where there is a gateway, it waits until that one has ended.
  ///
  /// - Parameter told: Called once if it waits, with the other's process where that is known.
  /// - Throws: `HKError`; `CancellationError`.
  func becomeGateway(lookingEvery pause: Duration, _ told: (Int32?) -> Void) async throws {
    var hasTold = false
    while true {
      do {
        return try store.database.becomeGateway()
      } catch StorageFailure.gatewayRuns(let process) {
        if !hasTold { told(process) }
        hasTold = true
      } catch {
        return try HKError.translating { throw error }
      }
      // A look takes no time; an attempt to become it may.
      repeat { try await Task.sleep(for: pause) } while hasGateway
    }
  }

  /// Lets another become the gateway. For the one that became it.
  func resignAsGateway() { store.database.resignAsGateway() }

  /// Whether a program is the store's gateway now. If none is, ``EnrolledMonitor/state`` is what the last one
  /// left.
  public var hasGateway: Bool { store.database.hasGateway }

  /// Gaps in the order in which they began.
  ///
  /// - Parameters:
  ///   - address: `nil` for every monitor's.
  ///   - from: Those that last beyond this time.
  ///   - to: Those that begin before this time.
  ///   - isOpen: Only those that last, or only those that have ended.
  ///   - last: At most so many, the latest.
  /// - Throws: `HKError`.
  public func gaps(
    of address: BluetoothAddress? = nil, from: ReceiptTime? = nil, to: ReceiptTime? = nil,
    isOpen: Bool? = nil, last: Int? = nil
  ) async throws -> [MonitorGap] {
    var filter = MonitorGapFilter()
    filter.monitor = address.map(AddressRecord.init)
    filter.from = from?.microsecondsSince1970
    filter.to = to?.microsecondsSince1970
    filter.isOpen = isOpen
    filter.limit = last
    return try await HKError.translating { try await store.database.gaps(filter).compactMap(MonitorGap.init) }
  }

  /// What is known of the straps of some enrolled monitors before they are followed.
  ///
  /// - Parameter killed: When the run before began, if it was killed: what it had not committed of a monitor
  ///   that was new to it is missing from then on.
  /// - Throws: `HKError`.
  func known(
    _ monitors: [EnrolledMonitor], killed: ReceiptTime? = nil
  ) async throws -> [PeripheralIdentity: KnownStrap] {
    var filter = MonitorGapFilter()
    filter.isOpen = true
    let openGaps = try await HKError.translating { try await store.database.gaps(filter) }
    return .init(
      openGaps: openGaps,
      expected: monitors.map { monitor in
        (monitor.description, monitor.lastMeasurement, killed.map { max($0, monitor.enrolled) })
      },
      settings: Dictionary(
        monitors.map { (.address($0.address), $0.settings) }, uniquingKeysWith: { $1 }))
  }

  /// What a run knows of the clock when it begins, and the clock that its receipt times are told by.
  ///
  /// - Parameter boot: Tells this start of the machine from others.
  /// - Throws: `HKError`.
  func clock(
    at clocks: SystemClocks, boot: String, for monitors: [EnrolledMonitor]
  ) async throws -> (ReceiptClock, ClockBeginning) {
    let history = ClockHistory(try await HKError.translating { try await store.database.clockSettings() })
    let boottime = clocks.boottimeNanoseconds
    let set = ReceiptClock(boottimeNanoseconds: boottime, wall: clocks.wall)
    let setting = ClockSetting(boot: boot, origin: set.origin)
    let agreed = history.agreeing(with: setting).map { origin in
      let ahead = origin.microseconds(since: setting.origin)
      return ReceiptTime(microsecondsSince1970: clocks.wall.microsecondsSince1970 + ahead)
    }
    let heard = monitors.flatMap { [$0.lastMeasurement, $0.lastSeen] } + [history.latest]
    let known = (monitors.map(\.lastMeasurement) + [history.latest]).compactMap(\.self)
    let floor = (agreed + known.map { history.time($0, by: setting) }).max()
    let clock = ReceiptClock(boottimeNanoseconds: boottime, wall: clocks.wall, floor: floor)
    var reading = clock
    let beginning = ClockBeginning(
      history: history, setting: ClockSetting(boot: boot, origin: clock.origin),
      now: reading.receiptTime(boottimeNanoseconds: boottime), wall: clocks.wall,
      latest: heard.compactMap(\.self).max())
    return (clock, beginning)
  }

  /// The times in which the wall clock was wrong, as a later setting showed, oldest first. Samples stored
  /// then keep their times. Subtracting `org.hrgate.clock-ahead` in their metadata gives the right ones.
  /// - Throws: `HKError`.
  public func clockErrors() async throws -> [ClockError] {
    try await HKError.translating {
      try await store.database.clockSettings().filter { $0.ahead != 0 }.map(ClockError.init)
    }
  }
}
