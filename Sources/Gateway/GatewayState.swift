public import BlueZ
public import Bluetooth
import Foundation
public import Ingestion

/// The state of a running gateway and of the monitors that it follows, as reported by its events so far.
///
/// The gateway updates the state before it sends an event. See ``HeartRateGateway/states()`` and
/// ``HeartRateGateway/updates()``. Its JSON uses the names of `hrgate status --json`, and times in ISO 8601.
///
/// ```swift
/// for await state in gateway.states() {
///   for monitor in state.monitors {
///     print(monitor.enrolled.name ?? "?", monitor.latest?.measurement.heartRate ?? 0)
///   }
///   if let failure = state.storeFailure { print(failure) }
/// }
/// ```
public struct GatewayState: Sendable {
  /// A monitor: its stored settings and what has been reported in this run.
  public struct Monitor: Sendable {
    /// The person to whom the monitor belongs; `nil` for the user of this account.
    public var person: String?
    public var enrolled: EnrolledMonitor
    /// The last reported status; `nil` before the first report.
    public var status: FollowStatus?
    /// When the monitor entered the state in ``status``.
    public var since: ReceiptTime?
    /// The last measurement, and the time of its report on all clocks.
    public var latest: (measurement: LiveMeasurement, emitted: SystemClocks)?
    /// The last RR intervals that the monitor sent in this run.
    public var beats = RecentBeats()
    /// The battery level in percent, 0–100; `nil` if it was not reported in this run.
    public var battery: Int?
    /// The signal strength of the monitor's last advertisement; `nil` while the monitor is connected.
    public var signal: HeardSignal?
    /// The monitor's counts in this run, as of the last commit; `nil` before the first commit.
    public var tally: MonitorTally?
    public var problems = MonitorProblems()
    /// The number of measurements counted up to the last commit.
    public var measurements: Int { tally?.measurements ?? 0 }

    public init(person: String? = nil, enrolled: EnrolledMonitor) {
      self.person = person
      self.enrolled = enrolled
    }
  }

  /// The state of one person's store: its counts in this run, and its errors. Each error is a sentence; `nil`
  /// means no error.
  public struct Account: Sendable {
    /// The counts of this run, as last reported.
    public internal(set) var tally = IngestionTally()
    /// The number of samples and gaps in memory that are not committed yet.
    public internal(set) var heldBack = 0
    /// The error of the last commit; `nil` if it succeeded.
    public internal(set) var commitFailure: String?
    /// Whether the store is locked, so that measurements are appended to its inbox, an encrypted file,
    /// instead.
    public internal(set) var isSealing = false
    /// The number of measurements dropped since the last successful commit, because the memory for
    /// uncommitted measurements was full.
    public internal(set) var lost = 0
    /// The total number of dropped measurements at the last successful commit.
    var lostBefore = 0
    /// The reason why the store cannot be opened; `nil` if it is open.
    public internal(set) var refusal: String?
    /// Whether the store did not respond to the last liveness check.
    public internal(set) var isHanging = false
    /// The reason why the store cannot be used: it cannot be opened, does not respond, or returned an error
    /// at the last commit.
    public var storeFailure: String? { refusal ?? (isHanging ? Self.hanging : nil) ?? commitFailure }
    private static let hanging =
      "the store has not answered for some time, so measurements are pending or lost; check its disk"
    /// The reason why samples such as the resting heart rate cannot be computed.
    public internal(set) var derivationFailure: String?
    /// The reason why old samples cannot be compacted.
    public internal(set) var condensingFailure: String?
    /// Describes damage that makes samples in the store, or measurements in its inbox, unreadable; `nil` if
    /// no damage was found.
    public internal(set) var damage: String?
    /// The reason why the store rejected a change of the wall clock.
    public internal(set) var clockRefusal: String?
    /// The gateway on the same store that this one is waiting for; `nil` if it is not waiting.
    public internal(set) var waiting: OtherGateway?

    mutating func count(_ tally: IngestionTally, isCommitted: Bool = false) {
      self.tally = tally
      let failed = tally.rejected[.storeFailed, default: 0]
      lost = max(0, failed - lostBefore)
      if isCommitted { lostBefore = failed }
    }
  }

  /// The person for whom the run was started, whose store is the main one; `nil` for the user of this
  /// account.
  public let main: String?
  /// The monitors of the user of this account, followed by those of other people sorted by name. Each
  /// person's monitors are in the order in which they were added.
  public internal(set) var monitors: [Monitor] = []
  /// The state of each person's store, with the key `nil` for the user of this account.
  public internal(set) var accounts: [String?: Account] = [:]
  var isBusHanging = false
  /// Whether the process is about to end. The counts of gateways that end from now on are kept in
  /// ``accounts``.
  var isStopping = false
  /// The counts of gateways that ended earlier, because their person was removed.
  var ended: [IngestionTally] = []
  /// The last period of this run in which the wall clock was wrong; `nil` if there was no such period.
  public internal(set) var clockError: ClockError?
  /// Whether the run has ended, which makes this its final state.
  public internal(set) var hasEnded = false
  /// The number of events that were dropped and are missing from this state, because a subscriber read too
  /// slowly.
  public internal(set) var missed = 0

  /// Creates the state before the first event.
  ///
  /// - Parameter main: The person for whom the run was started; `nil` for the user of this account.
  public init(of main: String? = nil) { self.main = main }

  /// The total counts of all stores.
  public var tally: IngestionTally {
    (accounts.values.map(\.tally) + ended).reduce(into: IngestionTally()) { $0.add($1) }
  }
  /// The number of uncommitted samples and gaps of all stores.
  public var heldBack: Int { accounts.values.map(\.heldBack).reduce(0, +) }
  public var storeFailure: String? { first(\.storeFailure) }
  /// The number of measurements dropped by stores that currently have an error.
  public var lost: Int { accounts.values.filter { $0.storeFailure != nil }.map(\.lost).reduce(0, +) }
  public var derivationFailure: String? { first(\.derivationFailure) }
  public var condensingFailure: String? { first(\.condensingFailure) }
  public var damage: String? { first(\.damage) }
  public var clockRefusal: String? { first(\.clockRefusal) }
  /// The reason why nothing is received from bluetoothd; `nil` while events are received.
  public var busFailure: String? {
    isBusHanging
      ? "nothing is received, because the thread that reads D-Bus hangs; restart hrgate run if this continues"
      : nil
  }
  /// The other gateway that the main store's gateway is waiting for; `nil` if it is not waiting.
  public var waiting: OtherGateway? { accounts[main]?.waiting }
  /// Whether the gateway only waits for another one, without following other people's monitors in the
  /// meantime.
  public var isOnlyWaiting: Bool { waiting != nil && monitors.allSatisfy { $0.person == main } }
  /// Whether there are stores of people other than the user of this account.
  public var hasPeople: Bool { accounts.keys.contains { $0 != nil } }

  /// Returns the first error of any store, with the person's name. The store of the user of this account is
  /// checked first.
  private func first(_ failure: KeyPath<Account, String?>) -> String? {
    let failing = accounts.filter { $0.value[keyPath: failure] != nil }
      .min { $0.key ?? "" < $1.key ?? "" }
    return failing.flatMap { person, account in
      account[keyPath: failure].map { failure in person.map { "\($0): \(failure)" } ?? failure }
    }
  }

  /// Returns a monitor of a person.
  ///
  /// - Parameter person: `nil` for the user of this account.
  /// - Returns: `nil` if the monitor is not in that person's store.
  public func monitor(_ address: BluetoothAddress, of person: String? = nil) -> Monitor? {
    monitors.first { $0.enrolled.address == address && $0.person == person }
  }

  mutating func update(with event: TimedGatewayEvent) {
    let person = event.person
    switch event.event {
    case .waiting(let process):
      accounts[person, default: Account()].waiting = OtherGateway(process: process)
    case .refused(let reason): accounts[person, default: Account()].refusal = reason
    case .enrolled(let enrolled): enrol(enrolled, person)
    case .state(let status):
      update(status.monitor, person) { monitor in
        if monitor.status?.state != status.state { monitor.since = event.emitted.wall }
        monitor.status = status
      }
    case .measured(let measurements):
      for measurement in measurements {
        update(measurement.monitor, person) { monitor in
          monitor.latest = (measurement, event.emitted)
          monitor.beats.add(measurement)
        }
      }
    case .battery(let battery):
      update(battery.monitor, person) { $0.battery = battery.percentage }
    case .heard(let signal):
      update(signal.monitor, person) { $0.signal = signal }
    case .committed(let report):
      count(report.tally, person, isCommitted: report.failure == nil)
      accounts[person]?.heldBack = report.heldBack
      accounts[person]?.commitFailure = report.failure?.localizedDescription
      accounts[person]?.isSealing = report.isSealing
      if let notice = report.inboxNotices.last { accounts[person]?.damage = notice }
      clockError = report.clockErrors.last ?? clockError
      if let refusal = report.clockRefusal { accounts[person]?.clockRefusal = refusal.localizedDescription }
      if report.tally.refusedClockChanges == 0 { accounts[person]?.clockRefusal = nil }
    case .counted(let tally, let heldBack):
      count(tally, person)
      accounts[person]?.heldBack = heldBack
    case .derived(let report):
      accounts[person, default: Account()].derivationFailure = report.failure?.localizedDescription
    case .condensed(let report):
      accounts[person, default: Account()].condensingFailure = report.failureDescription
    case .damaged(let reason): accounts[person, default: Account()].damage = reason
    case .hanging(.store, true): accounts[person, default: Account()].isHanging = true
    case .hanging(.store, false): accounts[person]?.isHanging = false
    case .hanging(.bus, let isHanging): isBusHanging = isHanging
    case .missed(let count): missed += count
    case .stopping: isStopping = true
    case .ended(let tally):
      count(tally, person)
      guard person != main else { return hasEnded = true }
      guard !isStopping else { return }
      ended.append(tally)
      accounts[person] = nil
      monitors.removeAll { $0.person == person }
    }
  }

  private mutating func enrol(_ enrolled: [EnrolledMonitor], _ person: String?) {
    accounts[person, default: Account()].waiting = nil
    accounts[person]?.refusal = nil
    let own = enrolled.map { enrolled in
      var monitor = monitor(enrolled.address, of: person) ?? Monitor(person: person, enrolled: enrolled)
      monitor.enrolled = enrolled
      return monitor
    }
    // A monitor that is being moved to another person is briefly in two stores. The newest event wins.
    let addresses = Set(enrolled.map(\.address))
    monitors.removeAll { $0.person == person || addresses.contains($0.enrolled.address) }
    let position = monitors.firstIndex { $0.person ?? "" > person ?? "" } ?? monitors.endIndex
    monitors.insert(contentsOf: own, at: position)
  }

  private mutating func count(_ tally: IngestionTally, _ person: String?, isCommitted: Bool = false) {
    accounts[person, default: Account()].count(tally, isCommitted: isCommitted)
    for counted in tally.monitors {
      guard case .address(let address) = counted.peripheral else { continue }
      update(address, person) { monitor in
        monitor.tally = counted
        monitor.problems.update(with: counted)
      }
    }
  }

  /// Changes a monitor in place. Does nothing if the monitor is no longer in the list.
  private mutating func update(
    _ address: BluetoothAddress, _ person: String?, _ change: (inout Monitor) -> Void
  ) {
    let index = monitors.indices.first {
      monitors[$0].enrolled.address == address && monitors[$0].person == person
    }
    if let index { change(&monitors[index]) }
  }
}

/// Another process that runs a gateway on the same store.
public struct OtherGateway: Codable, Sendable, Hashable, CustomStringConvertible {
  /// The process ID; `nil` if it is not known.
  public var process: Int32?

  public init(process: Int32?) { self.process = process }

  public var description: String {
    "waiting for another gateway on the store\(process.map { " (process \($0))" } ?? "") to end"
  }
}

/// An event of a gateway, and the gateway's state after it.
public struct GatewayUpdate: Sendable {
  public var event: TimedGatewayEvent
  public var state: GatewayState
}

extension IngestionTally {
  /// Adds the counts of `other`, except the per-monitor counts.
  fileprivate mutating func add(_ other: IngestionTally) {
    measurements += other.measurements
    stored.merge(other.stored, uniquingKeysWith: +)
    duplicates += other.duplicates
    rejected.merge(other.rejected, uniquingKeysWith: +)
  }
}
