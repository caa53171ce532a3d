public import Bluetooth
public import HealthKit
import HealthStorage
package import HealthSystem
public import Ingestion

/// The monitors that the user has paired and thus *enrolled* in a store, and the gaps in their measurements.
///
/// Changes are immediately visible to all processes that have the store open. Only the gateway and the user's
/// tools have access, not applications with permissions for some types.
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

  /// - Parameter healthStore: A store in memory, or in a file that is not the user's own store.
  /// - Throws: `HKError`: errorAuthorizationDenied if an application tries to access the user's store;
  ///   errorDatabaseInaccessible.
  public init(_ healthStore: HKHealthStore) throws { store = try SystemStore(healthStore) }

  /// Opens the store at a location. A file is created if it does not exist.
  /// - Throws: `HKError`, errorDatabaseInaccessible, with the reason.
  public init(at location: HKHealthStore.Configuration.Location) throws {
    switch location {
    case .user: try self.init(SystemStore.ofUser())
    case .file(let path): try self.init(SystemStore(at: path))
    case .memory: try self.init(HKHealthStore.inMemory())
    }
  }

  /// Returns the monitors in the order in which they were added.
  /// - Throws: `HKError`.
  public func monitors() async throws -> [EnrolledMonitor] {
    try await HKError.translating { try await store.database.monitors().compactMap(EnrolledMonitor.init) }
  }

  /// Returns the monitors with this address or name, ignoring case. Several monitors may have the same name.
  /// - Throws: `HKError`.
  public func monitors(named text: String) async throws -> [EnrolledMonitor] {
    try await monitors().filter {
      $0.address.description == text.uppercased() || $0.name?.lowercased() == text.lowercased()
    }
  }

  /// Returns the monitor with an address.
  /// - Returns: `nil` if the monitor is not in the store.
  /// - Throws: `HKError`.
  public func monitor(_ address: BluetoothAddress) async throws -> EnrolledMonitor? {
    try await HKError.translating {
      try await store.database.monitor(AddressRecord(address)).flatMap(EnrolledMonitor.init)
    }
  }

  /// Returns all monitors that a gateway has followed for this store, including removed ones.
  /// - Throws: `HKError`.
  func followed() async throws -> Set<BluetoothAddress> {
    try await HKError.translating {
      Set(try await store.database.followedMonitors().compactMap(BluetoothAddress.init))
    }
  }

  /// Adds a monitor to the store, or updates it. When updating, the time at which it was first added does not
  /// change, and `nil` properties keep their stored value.
  /// - Throws: `HKError`.
  public func enrol(_ monitor: EnrolledMonitor) async throws {
    try await HKError.translating { try await store.database.enrol(monitor.record) }
  }

  /// Declares how a monitor deviates from the specification. This applies to later runs of a gateway and to
  /// later imports of recordings.
  ///
  /// - Returns: Whether the monitor is in the store.
  /// - Throws: `HKError`.
  @discardableResult
  public func declare(_ settings: MonitorSettings, of address: BluetoothAddress) async throws -> Bool {
    try await HKError.translating {
      try await store.database.declare(
        intervalUnit: settings.intervalUnit == .standard ? nil : settings.intervalUnit.rawValue,
        ignoresContact: settings.ignoresSensorContact, of: AddressRecord(address))
    }
  }

  /// Stores settings that the monitor had under another address or in another person's store, unless it
  /// already has settings here.
  /// - Throws: `HKError`.
  package func adopt(_ settings: MonitorSettings, of address: BluetoothAddress) async throws {
    let none = MonitorSettings()
    guard settings != none, try await monitor(address)?.settings == none else { return }
    try await declare(settings, of: address)
  }

  /// Removes a monitor and its settings from the store. Its samples and gaps stay in the store.
  /// - Returns: Whether the monitor was in the store.
  /// - Throws: `HKError`.
  @discardableResult
  public func forget(_ address: BluetoothAddress) async throws -> Bool {
    try await HKError.translating { try await store.database.forgetMonitor(AddressRecord(address)) }
  }

  /// Updates the stored status of a monitor. A `nil` argument, or a time earlier than the stored one, leaves
  /// the stored value unchanged.
  /// - Returns: Whether the monitor is in the store.
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
  /// - Returns: The monitors that are in the store.
  /// - Throws: `HKError`.
  func updateStatuses(_ statuses: [MonitorStatusRecord]) async throws -> Set<AddressRecord> {
    try await HKError.translating { try await store.database.update(statuses) }
  }

  /// Returns a sequence with an element each time a monitor is added, updated by a new pairing, or removed,
  /// by this process or another. Changes of a monitor's status do not count. The sequence supports one
  /// consumer, and ends when its task is canceled.
  ///
  /// Changes after this call are reported, so read ``monitors()`` after the call and again at each element.
  /// While no process writes to the store, the sequence is idle.
  /// - Throws: `HKError`.
  public func changes() async throws -> some AsyncSequence<Void, Never> & Sendable {
    try await EnrolmentChanges(store, clock: ContinuousClock())
  }

  /// Takes the gateway lock, which only one gateway per store can hold. It is held until
  /// ``resignAsGateway()``, until the process ends, or until the process no longer has the store open. Call
  /// it before running a ``LivePipeline``: two gateways would store every measurement twice.
  /// - Throws: `HKError`, errorDatabaseInaccessible, if another gateway holds the lock, in this process or
  ///   another; the message names the process.
  package func becomeGateway() async throws {
    try HKError.translating { try store.database.becomeGateway() }
  }

  /// Takes the gateway lock, which only one gateway per store can hold. Waits while another gateway holds it.
  ///
  /// - Parameter onWait: Called once if it has to wait, with the process ID of the other gateway, if known.
  /// - Throws: `HKError`; `CancellationError`.
  func becomeGateway(lookingEvery pause: Duration, _ onWait: (Int32?) -> Void) async throws {
    var hasReported = false
    while true {
      do {
        return try store.database.becomeGateway()
      } catch StorageError.gatewayRuns(let process) {
        if !hasReported { onWait(process) }
        hasReported = true
      } catch {
        return try HKError.translating { throw error }
      }
      // Checking the lock is cheap; trying to take it may not be.
      repeat { try await Task.sleep(for: pause) } while hasGateway
    }
  }

  /// Releases the gateway lock. Call this only if this object holds the lock.
  func resignAsGateway() { store.database.resignAsGateway() }

  /// Whether a gateway is running on the store. If not, ``EnrolledMonitor/state`` is what the last gateway
  /// stored.
  public var hasGateway: Bool { store.database.hasGateway }

  /// Returns gaps in measurements, sorted by their start.
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
  ///   - isOpen: Only open gaps (`true`) or only ended ones (`false`); `nil` for both.
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

  /// Returns the start of the previous run if that run was killed.
  /// - Returns: `nil` if it was not, or if it is a run in the inbox: the merge that stored its start was
  ///   interrupted, and the next one finds its end.
  func killedRun(_ history: ClockHistory) async throws -> ReceiptTime? {
    guard let killed = history.killedRun, let path = store.database.path,
      let inbox = try? SealedInbox(ofStoreAt: path), inbox.exists
    else { return history.killedRun }
    let progress = try await HKError.translating { try await store.database.inboxProgress() }
    return inbox.isPartlyMerged(progress) ? nil : killed
  }

  /// Returns what the store knows about monitors before they are followed: description, gaps and settings.
  ///
  /// - Parameter killed: The start of the previous run, if that run was killed. A monitor without stored
  ///   measurements has a gap since then, because measurements may have been lost.
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

  /// Returns the clock that computes the receipt times of a run, and the setting of the wall clock at its
  /// start, compared with earlier runs.
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

  /// Returns the periods in which the wall clock was wrong, oldest first. A period becomes known when the
  /// clock is set. Its samples keep their times; to correct these, subtract the metadata value
  /// `org.hrgate.clock-ahead`.
  /// - Throws: `HKError`.
  public func clockErrors() async throws -> [ClockError] {
    try await HKError.translating {
      try await store.database.clockSettings().filter { $0.ahead != 0 }.map(ClockError.init)
    }
  }
}

extension MonitorRegistry {
  /// Returns the names of all monitors in the store, and of those in `addresses`. For a monitor that is no
  /// longer in the store, the name is that of its samples' source. Monitors without a name are omitted.
  /// - Throws: `HKError`.
  package func names(of addresses: some Sequence<BluetoothAddress>) async throws -> [BluetoothAddress: String]
  {
    var names: [BluetoothAddress: String] = [:]
    for monitor in try await monitors() { names[monitor.address] = monitor.name }
    let missing = Set(addresses).subtracting(names.keys)
    // This reads all samples, so do it only if names are missing.
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
