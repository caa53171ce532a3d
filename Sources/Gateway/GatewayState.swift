public import BlueZ
public import Bluetooth
import Foundation
public import Ingestion

/// The state of a running gateway and of the monitors that it follows: the result of all of its events so
/// far.
///
/// The gateway updates it with each event before any watcher gets the event. See
/// ``HeartRateGateway/states()`` and ``HeartRateGateway/updates()``. Its JSON has ISO 8601 times and the
/// names of `hrgate status --json`.
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
  /// A monitor, as enrolled and as this run has reported it.
  public struct Monitor: Sendable {
    /// The person whose monitor it is; `nil` for the owner of the gateway.
    public var person: String?
    public var enrolled: EnrolledMonitor
    /// `nil` until the gateway has reported a state.
    public var status: FollowStatus?
    /// When the monitor entered the state of ``status``.
    public var since: ReceiptTime?
    /// The last measurement, and the clocks at the time of its event.
    public var latest: (measurement: LiveMeasurement, told: SystemClocks)?
    /// The RR intervals that the monitor has sent in this run.
    public var beats = RecentBeats()
    /// Percent, 0–100; `nil` if it has reported none in this run.
    public var battery: Int?
    /// Its last advertisement, while it is not connected.
    public var signal: HeardSignal?
    /// The monitor's counts, as of the last commit; `nil` before the first.
    public var tally: MonitorTally?
    public var problems = MonitorProblems()
    /// The number of measurements that commits have counted.
    public var measurements: Int { tally?.measurements ?? 0 }

    public init(person: String? = nil, enrolled: EnrolledMonitor) {
      self.person = person
      self.enrolled = enrolled
    }
  }

  /// The state of one person's store: its counts and failures. Each failure is `nil` while the part works,
  /// and a sentence otherwise.
  public struct Account: Sendable {
    /// The counts of this run, as last reported.
    public internal(set) var tally = IngestionTally()
    /// Samples and gaps in memory that are not committed yet.
    public internal(set) var heldBack = 0
    /// The error of the last commit.
    public internal(set) var commitFailure: String?
    /// Measurements that were lost because memory for uncommitted ones was full, since the store last
    /// accepted a commit.
    public internal(set) var lost = 0
    /// Measurements that had been lost when the store last accepted a commit.
    var lostBefore = 0
    /// Why the store cannot be opened.
    public internal(set) var refusal: String?
    /// Whether the store has not responded since the last liveness check of its gateway.
    public internal(set) var isHanging = false
    /// Why the store cannot be used: it cannot be opened, does not respond, or rejected the last commit.
    public var storeFailure: String? { refusal ?? (isHanging ? Self.hanging : nil) ?? commitFailure }
    private static let hanging = "it has not answered for some time; measurements are pending or lost"
    /// Why derived samples cannot be computed.
    public internal(set) var derivationFailure: String?
    /// Why old samples cannot be compacted.
    public internal(set) var condensingFailure: String?
    /// The segment that cannot be read.
    public internal(set) var damage: String?
    /// Why the store does not accept a change of the clock.
    public internal(set) var clockRefusal: String?
    /// The other gateway that runs on the store.
    public internal(set) var waiting: OtherGateway?

    mutating func count(_ tally: IngestionTally, isCommitted: Bool = false) {
      self.tally = tally
      let failed = tally.rejected[.storeFailed, default: 0]
      lost = max(0, failed - lostBefore)
      if isCommitted { lostBefore = failed }
    }
  }

  /// The person whose store the run is about first; `nil` for the owner.
  public let main: String?
  /// The owner's monitors before those of other people, who are in the order of their names. The monitors of
  /// one person are in the order of enrollment.
  public internal(set) var monitors: [Monitor] = []
  /// One for each person; the key `nil` is the owner.
  public internal(set) var accounts: [String?: Account] = [:]
  var isBusHanging = false
  /// Whether the run is about to end: gateways that end from now on keep their accounts.
  var isStopping = false
  /// The accounts of people whose gateways ended before the run.
  var ended: [IngestionTally] = []
  /// The last period of this run in which the wall clock was wrong.
  public internal(set) var clockError: ClockError?
  /// Whether the run has ended, so that the state is final.
  public internal(set) var hasEnded = false
  /// The number of events that did not reach this state, because a queue was full.
  public internal(set) var missed = 0

  /// Creates the state before the first event.
  ///
  /// - Parameter main: The person whose store the run is about first; `nil` for the owner.
  public init(of main: String? = nil) { self.main = main }

  /// The sum over all stores.
  public var tally: IngestionTally {
    (accounts.values.map(\.tally) + ended).reduce(into: IngestionTally()) { $0.add($1) }
  }
  /// The number of samples and gaps of all stores that are not committed yet.
  public var heldBack: Int { accounts.values.map(\.heldBack).reduce(0, +) }
  public var storeFailure: String? { first(\.storeFailure) }
  /// Measurements that were lost by stores that fail now.
  public var lost: Int { accounts.values.filter { $0.storeFailure != nil }.map(\.lost).reduce(0, +) }
  public var derivationFailure: String? { first(\.derivationFailure) }
  public var condensingFailure: String? { first(\.condensingFailure) }
  public var damage: String? { first(\.damage) }
  public var clockRefusal: String? { first(\.clockRefusal) }
  /// Why the gateway receives nothing from bluetoothd.
  public var busFailure: String? {
    isBusHanging ? "the thread that reads it has not answered for some time; nothing is received" : nil
  }
  /// The other gateway that runs on the store of ``main``.
  public var waiting: OtherGateway? { accounts[main]?.waiting }
  /// Whether the gateway waits for another one and meanwhile follows no monitors of other people.
  public var isOnlyWaiting: Bool { waiting != nil && monitors.allSatisfy { $0.person == main } }
  /// Whether people other than the owner have a store here.
  public var hasPeople: Bool { accounts.keys.contains { $0 != nil } }

  /// The first failure of any store, the owner's before the others', with the person's name.
  private func first(_ failure: KeyPath<Account, String?>) -> String? {
    let failing = accounts.filter { $0.value[keyPath: failure] != nil }
      .min { $0.key ?? "" < $1.key ?? "" }
    return failing.flatMap { person, account in
      account[keyPath: failure].map { failure in person.map { "\($0): \(failure)" } ?? failure }
    }
  }

  /// Returns a monitor of a person.
  ///
  /// - Parameter person: `nil` for the owner.
  /// - Returns: `nil` if the monitor is not enrolled in that person's store.
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
        if monitor.status?.state != status.state { monitor.since = event.told.wall }
        monitor.status = status
      }
    case .measured(let measurements):
      for measurement in measurements {
        update(measurement.monitor, person) { monitor in
          monitor.latest = (measurement, event.told)
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
    // A monitor that is moved is enrolled in two stores for a moment; the newest event counts.
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

  /// Changes a monitor in place. Events of a monitor that was forgotten are ignored.
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
  /// `nil` if it is not known.
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
  /// Adds the counts of `other`, but not those by monitor.
  fileprivate mutating func add(_ other: IngestionTally) {
    measurements += other.measurements
    stored.merge(other.stored, uniquingKeysWith: +)
    duplicates += other.duplicates
    rejected.merge(other.rejected, uniquingKeysWith: +)
  }
}
