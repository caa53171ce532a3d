public import Bluetooth
public import HealthKit
import HealthStorage
package import HealthSystem
public import Ingestion

/// The enrolled monitors of a store, and the gaps in their measurements.
///
/// All processes that have the store open see changes at once. It is for the gateway and the user;
/// applications have no access.
///
/// ```swift
/// let registry = try MonitorRegistry(at: .user)
/// for monitor in try await registry.monitors() {
///   print(monitor.address, monitor.name ?? "?", monitor.battery ?? 0)
/// }
/// ```
public struct MonitorRegistry: Sendable {
  package let store: SystemStore

  package init(_ store: SystemStore) { self.store = store }

  /// - Parameter healthStore: A handle with full access: to a store in memory, or to a file that is not the
  ///   user's own store.
  /// - Throws: `HKError`: errorAuthorizationDenied for a handle of an application; errorDatabaseInaccessible.
  public init(_ healthStore: HKHealthStore) throws { store = try SystemStore(healthStore) }

  /// Opens the registry of the store at a location. A file is created if it does not exist.
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

  /// Returns an enrolled monitor.
  /// - Returns: `nil` for a monitor that is not enrolled.
  /// - Throws: `HKError`.
  public func monitor(_ address: BluetoothAddress) async throws -> EnrolledMonitor? {
    try await HKError.translating {
      try await store.database.monitor(AddressRecord(address)).flatMap(EnrolledMonitor.init)
    }
  }

  /// Returns the monitors that a gateway has followed for this store, whether still enrolled or not.
  /// - Throws: `HKError`.
  func followed() async throws -> Set<BluetoothAddress> {
    try await HKError.translating {
      Set(try await store.database.followedMonitors().compactMap(BluetoothAddress.init))
    }
  }

  /// Enrolls a monitor. If it is already enrolled, it is updated: it keeps the time of its first
  /// enrollment, and the stored values of properties that are `nil` now.
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

  /// Copies the settings of a monitor from another address or another person's store, unless it has
  /// settings here.
  /// - Throws: `HKError`.
  package func adopt(_ settings: MonitorSettings, of address: BluetoothAddress) async throws {
    let none = MonitorSettings()
    guard settings != none, try await monitor(address)?.settings == none else { return }
    try await declare(settings, of: address)
  }

  /// Ends the enrollment of a monitor and deletes its settings. Its samples and gaps stay in the store.
  /// - Returns: Whether it was enrolled.
  /// - Throws: `HKError`.
  @discardableResult
  public func forget(_ address: BluetoothAddress) async throws -> Bool {
    try await HKError.translating { try await store.database.forgetMonitor(AddressRecord(address)) }
  }

  /// Updates the status of an enrolled monitor. Arguments that are `nil` and times before the stored ones
  /// leave the stored value unchanged.
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

  /// Updates the status of several monitors in one transaction.
  /// - Returns: The monitors that are enrolled.
  /// - Throws: `HKError`.
  func updateStatuses(_ statuses: [MonitorStatusRecord]) async throws -> Set<AddressRecord> {
    try await HKError.translating { try await store.database.update(statuses) }
  }

  /// Emits an element when a monitor is enrolled, enrolled again or forgotten, by this process or another,
  /// but not when its status changes. For one consumer; ends with the task.
  ///
  /// It observes changes from the call on: read ``monitors()`` after the call and again at each element. It
  /// causes no work while no process writes to the store.
  /// - Throws: `HKError`.
  public func changes() async throws -> some AsyncSequence<Void, Never> & Sendable {
    try await EnrolmentChanges(store, clock: ContinuousClock())
  }

  /// Makes the caller the store's only gateway, until ``resignAsGateway()``, or until the program ends or
  /// releases its last handle on the store. Call it before running a ``LivePipeline``: two gateways would
  /// store every measurement twice.
  /// - Throws: `HKError`, errorDatabaseInaccessible, if another gateway runs, in this program or another;
  ///   the message names its process.
  package func becomeGateway() async throws {
    try HKError.translating { try store.database.becomeGateway() }
  }

  /// Makes the caller the store's only gateway, and waits if another one runs.
  ///
  /// - Parameter told: Called once if it has to wait, with the other's process ID if that is known.
  /// - Throws: `HKError`; `CancellationError`.
  func becomeGateway(lookingEvery pause: Duration, _ told: (Int32?) -> Void) async throws {
    var hasTold = false
    while true {
      do {
        return try store.database.becomeGateway()
      } catch StorageError.gatewayRuns(let process) {
        if !hasTold { told(process) }
        hasTold = true
      } catch {
        return try HKError.translating { throw error }
      }
      // Checking is cheap; an attempt to take the lock may not be.
      repeat { try await Task.sleep(for: pause) } while hasGateway
    }
  }

  /// Gives up the role of the gateway. Only for the caller that has it.
  func resignAsGateway() { store.database.resignAsGateway() }

  /// Whether a gateway runs on the store. If not, ``EnrolledMonitor/state`` is what the last one left.
  public var hasGateway: Bool { store.database.hasGateway }

  /// Returns gaps in the order of their start.
  ///
  /// ```swift
  /// for gap in try await registry.gaps(isOpen: false, last: 10) {
  ///   print(gap.monitor, gap.start, gap.cause)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - address: The monitor; `nil` for all monitors.
  ///   - from: Only gaps that end after this time.
  ///   - to: Only gaps that start before this time.
  ///   - isOpen: Only open gaps (`true`) or only ended ones (`false`).
  ///   - last: Maximum number of gaps; the latest are returned.
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

  /// Returns the known straps of enrolled monitors, before they are followed.
  ///
  /// - Parameter killed: The start of the previous run, if it was killed. Uncommitted measurements of a
  ///   monitor that was new in that run are missing from then on.
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

  /// Returns the clock for the receipt times of a run, and what the run knows about the clock at its start.
  ///
  /// - Parameter boot: Identifies this boot of the machine.
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

extension MonitorRegistry {
  /// Returns the names of monitors: of all that are enrolled, and of those in `addresses` that were
  /// enrolled or appear in recordings, by the name of the source of their samples. Monitors without a name
  /// are missing.
  /// - Throws: `HKError`.
  package func names(of addresses: some Sequence<BluetoothAddress>) async throws -> [BluetoothAddress: String]
  {
    var names: [BluetoothAddress: String] = [:]
    for monitor in try await monitors() { names[monitor.address] = monitor.name }
    let missing = Set(addresses).subtracting(names.keys)
    // Scans all samples, so only if a name is missing.
    guard !missing.isEmpty else { return names }
    let sources = Dictionary(
      try await store.sampleCounts().map { ($0.source.bundleIdentifier, $0.source.name) },
      uniquingKeysWith: { first, _ in first })
    for address in missing {
      names[address] = sources[MonitorDescription.sourceIdentifier(of: address.description)]
    }
    return names
  }
}
