public import Bluetooth
public import HealthKit

/// The monitors that the user enrolled, and the gaps in what arrived from them, as the store keeps them.
///
/// All that is written here is seen by every process that has the store open. It is the gateway's and the command line's:
/// on a handle that belongs to an application each call throws `HKError`, errorAuthorizationDenied.
public struct MonitorRegistry: Sendable {
  private let store: HKHealthStore

  public init(_ store: HKHealthStore) { self.store = store }

  /// The enrolled monitors, in the order in which they were enrolled.
  /// - Throws: `HKError`.
  public func monitors() async throws -> [EnrolledMonitor] {
    try await store.monitors().compactMap(EnrolledMonitor.init)
  }

  /// - Returns: `nil` for a monitor that is not enrolled.
  /// - Throws: `HKError`.
  public func monitor(_ address: BluetoothAddress) async throws -> EnrolledMonitor? {
    try await store.monitor(MonitorAddress(address)).flatMap(EnrolledMonitor.init)
  }

  /// Enrols a monitor. One that is enrolled already is changed: it keeps the time at which it was enrolled first, and what is
  /// `nil` now.
  /// - Throws: `HKError`.
  public func enrol(_ monitor: EnrolledMonitor) async throws { try await store.enrol(monitor.entry) }

  /// Enrols a monitor no longer. Its samples stay in the store, and so do its gaps.
  /// - Returns: Whether it was enrolled.
  /// - Throws: `HKError`.
  @discardableResult
  public func forget(_ address: BluetoothAddress) async throws -> Bool {
    try await store.forgetMonitor(MonitorAddress(address))
  }

  /// Keeps what was learnt about an enrolled monitor; `nil` leaves what is kept. A time before the kept one is passed over.
  /// - Returns: Whether it is enrolled.
  /// - Throws: `HKError`.
  @discardableResult
  public func updateStatus(
    of address: BluetoothAddress, lastSeen: ReceiptTime? = nil, battery: Int? = nil,
    adapter: BluetoothAddress? = nil, isBonded: Bool? = nil, state: String? = nil
  ) async throws -> Bool {
    var status = MonitorStatus(address: MonitorAddress(address))
    status.lastSeen = lastSeen?.microsecondsSince1970
    status.battery = battery
    status.adapter = adapter.map(MonitorAddress.init)
    status.isBonded = isBonded
    status.state = state
    return try await store.update(status)
  }

  /// Tells when monitors are enrolled, enrolled anew or forgotten, by this process or another; not when their status changes.
  ///
  /// It listens from the call on: read ``monitors()`` after it and again at each element. It costs nothing while nobody writes to
  /// the store.
  /// - Throws: `HKError`.
  public func changes() async throws -> EnrolmentChanges { try await EnrolmentChanges(store) }

  /// Makes this program the store's only gateway, until it ends or drops its last handle on the store. Two would each store what arrives:
  /// call it before a ``LivePipeline`` runs.
  /// - Throws: `HKError`, errorDatabaseInaccessible, where another program is the gateway; it says which.
  public func becomeGateway() throws { try store.becomeGateway() }

  /// Whether a program is the store's gateway now. Where none is, ``EnrolledMonitor/state`` is what the last one left.
  /// - Throws: `HKError`.
  public var hasGateway: Bool {
    get throws { try store.hasGateway }
  }

  /// Gaps in the order in which they began.
  ///
  /// - Parameters:
  ///   - address: `nil` for every monitor's.
  ///   - from: Those that last beyond this time.
  ///   - to: Those that begin before this time.
  ///   - isOpen: Only those that last, or only those that have ended.
  ///   - last: The latest ones, at most so many.
  /// - Throws: `HKError`.
  public func gaps(
    of address: BluetoothAddress? = nil, from: ReceiptTime? = nil, to: ReceiptTime? = nil,
    isOpen: Bool? = nil, last: Int? = nil
  ) async throws -> [MonitorGap] {
    var selection = MonitorGapSelection()
    selection.monitor = address.map(MonitorAddress.init)
    selection.from = from?.microsecondsSince1970
    selection.to = to?.microsecondsSince1970
    selection.isOpen = isOpen
    selection.limit = last
    return try await store.gaps(selection).compactMap(MonitorGap.init)
  }
}
