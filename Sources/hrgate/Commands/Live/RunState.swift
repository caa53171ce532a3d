import BlueZ
import Bluetooth
import BluetoothCentral
import Foundation
import Gateway
import Ingestion

/// How things stand with a running gateway, by what it has told.
struct RunState {
  /// A monitor, and what was told of it in this run.
  struct Monitor {
    /// Whose it is; `nil` for the owner's.
    var person: String?
    /// As it was enrolled.
    var enrolled: EnrolledMonitor
    var status: FollowStatus?
    /// Since when it is in this state.
    var since: ReceiptTime?
    /// The last that came, and the clocks when the gateway told it.
    var latest: (measurement: LiveMeasurement, told: SystemClocks)?
    /// What it sent of beats in this run.
    var beats = RecentBeats()
    /// Percent, as told in this run.
    var battery: Int?
    /// How it was last heard.
    var signal: HeardSignal?
    /// How many came and were counted with a commit.
    var measurements = 0
  }

  /// How it stands with one store.
  struct Account {
    var tally = IngestionTally()
    var heldBack = 0
    /// Why the store does not take what was measured.
    var commitFailure: String?
    /// How many measurements were lost from when the store last took any until it took the next, or until
    /// now: there was no room in memory for more.
    private(set) var lost = 0
    /// How many were lost before that.
    private var lostEarlier = 0
    /// Why the store cannot be used at all.
    var refusal: String?
    /// It has not answered from one turn of its gateway to the next.
    var isHanging = false
    var storeFailure: String? { refusal ?? (isHanging ? Self.hanging : nil) ?? commitFailure }
    private static let hanging = "it has not answered for some time, and what is measured waits or is lost"
    /// Why no figures are derived.
    var derivationFailure: String?
    /// Why old samples stay as they are.
    var condensingFailure: String?
    /// Which packed hour cannot be read, and why.
    var damage: String?
    /// Why the store does not take what became known of the clock, while there is such.
    var clockRefusal: String?
    /// Another gateway runs on the store, as a sentence that has its process.
    var waiting: String?

    /// - Parameter isTaken: The store has taken something.
    fileprivate mutating func count(_ tally: IngestionTally, isTaken: Bool = false) {
      self.tally = tally
      let failed = tally.rejected[.storeFailed, default: 0]
      lost = max(0, failed - lostEarlier)
      if isTaken { lostEarlier = failed }
    }
  }

  /// With whose store the run begins and ends; `nil` for the owner's.
  let main: String?
  /// The owner's before the others', by their names; each one's in the order in which they were enrolled.
  private(set) var monitors: [Monitor] = []
  /// Of each person's store, and of the owner's.
  private(set) var accounts: [String?: Account] = [:]
  /// What follows the monitors does not answer.
  private var isBusHanging = false
  /// Why the metrics are not written.
  private(set) var metricsFailure: String?
  /// The run is to end: who ends from now on is not let go.
  private var isStopping = false
  /// The accounts of people who were let go.
  private var ended: [IngestionTally] = []
  /// The last time in which the clock was ahead, as became known in this run.
  private(set) var clockError: ClockError?
  private(set) var hasEnded = false
  /// How many events were told and are not taken up here.
  private(set) var missed = 0
  /// The destinations that get nothing now, in the order of their names.
  private(set) var troubles: [SyncNews] = []

  /// Of all stores.
  var tally: IngestionTally {
    (accounts.values.map(\.tally) + ended).reduce(into: IngestionTally()) { $0.add($1) }
  }
  var heldBack: Int { accounts.values.map(\.heldBack).reduce(0, +) }
  var storeFailure: String? { first(\.storeFailure) }
  /// What stores that fail have lost of measurements.
  var lost: Int { accounts.values.filter { $0.storeFailure != nil }.map(\.lost).reduce(0, +) }
  var derivationFailure: String? { first(\.derivationFailure) }
  var condensingFailure: String? { first(\.condensingFailure) }
  var damage: String? { first(\.damage) }
  var clockRefusal: String? { first(\.clockRefusal) }
  /// Why nothing is heard of any monitor.
  var busFailure: String? {
    isBusHanging
      ? "what reads it has not answered for some time, and nothing is heard of the monitors" : nil
  }
  /// The gateway of the store with which the run begins is another, as a sentence.
  var waiting: String? { accounts[main]?.waiting }
  /// Nobody else's monitors are followed meanwhile.
  var isOnlyWaiting: Bool { waiting != nil && monitors.allSatisfy { $0.person == main } }
  /// Somebody beside the owner has a store here.
  var hasPeople: Bool { accounts.keys.contains { $0 != nil } }

  /// The first there is, the owner's before the others', with whose it is.
  private func first(_ failure: KeyPath<Account, String?>) -> String? {
    let found = accounts.filter { $0.value[keyPath: failure] != nil }
      .min { $0.key ?? "" < $1.key ?? "" }
    return found.flatMap { person, account in
      account[keyPath: failure].map { failure in person.map { "\($0): \(failure)" } ?? failure }
    }
  }

  init(of main: String? = nil) { self.main = main }

  func monitor(_ address: BluetoothAddress, of person: String? = nil) -> Monitor? {
    monitors.first { $0.enrolled.address == address && $0.person == person }
  }

  mutating func receive(_ event: TimedGatewayEvent) {
    let person = event.person
    switch event.event {
    case .waiting(let process):
      accounts[person, default: Account()].waiting = RunEvent.Waiting.sentence(process)
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
      count(report.tally, person, isTaken: report.failure == nil)
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
      accounts[person, default: Account()].condensingFailure = CondensingSentence(report)?.text
    case .damaged(let reason): accounts[person, default: Account()].damage = reason
    case .hanging(.store, true): accounts[person, default: Account()].isHanging = true
    case .hanging(.store, false): accounts[person]?.isHanging = false
    case .hanging(.bus, let isHanging): isBusHanging = isHanging
    case .missed(let count): missed += count
    case .stopping: isStopping = true
    case .ended(let tally):
      count(tally, person)
      guard person != main else { return hasEnded = true }
      // Theirs is part of how the run stood when it ended.
      guard !isStopping else { return }
      ended.append(tally)
      accounts[person] = nil
      monitors.removeAll { $0.person == person }
    }
  }

  private mutating func enrol(_ enrolled: [EnrolledMonitor], _ person: String?) {
    accounts[person, default: Account()].waiting = nil
    accounts[person]?.refusal = nil
    let theirs = enrolled.map { enrolled in
      var monitor = monitor(enrolled.address, of: person) ?? Monitor(person: person, enrolled: enrolled)
      monitor.enrolled = enrolled
      return monitor
    }
    // One that changes hands is, for a moment, enrolled in two stores; the last told is right.
    let addresses = Set(enrolled.map(\.address))
    monitors.removeAll { $0.person == person || addresses.contains($0.enrolled.address) }
    let place = monitors.firstIndex { $0.person ?? "" > person ?? "" } ?? monitors.endIndex
    monitors.insert(contentsOf: theirs, at: place)
  }

  /// What is said of something beside the gateway.
  mutating func receive(_ news: MetricsNews) { metricsFailure = news.failure }

  mutating func receive(_ news: SyncNews) {
    troubles.removeAll { $0.destination == news.destination && $0.person == news.person }
    guard news.state.isTrouble else { return }
    let place = troubles.firstIndex { $0.destination > news.destination } ?? troubles.endIndex
    troubles.insert(news, at: place)
  }

  private mutating func count(_ tally: IngestionTally, _ person: String?, isTaken: Bool = false) {
    accounts[person, default: Account()].count(tally, isTaken: isTaken)
    for counted in tally.monitors {
      guard case .address(let address) = counted.peripheral else { continue }
      update(address, person) { $0.measurements = counted.measurements }
    }
  }

  /// Nothing is kept of a monitor that was forgotten.
  private mutating func update(
    _ address: BluetoothAddress, _ person: String?, _ change: (inout Monitor) -> Void
  ) {
    // By place: an iterator would copy each of them.
    let place = monitors.indices.first {
      monitors[$0].enrolled.address == address && monitors[$0].person == person
    }
    if let place { change(&monitors[place]) }
  }
}

extension RunState.Monitor {
  /// What the user may do about its state, in commands as they can be given.
  var advice: String? {
    guard let advice = status?.advice else { return nil }
    guard let person else { return advice }
    let address = enrolled.address.description
    return advice.replacing(address, with: "\(address) --person \(person.shellWord)")
  }
}

extension IngestionTally {
  /// Adds what is counted, of all monitors together.
  fileprivate mutating func add(_ other: IngestionTally) {
    measurements += other.measurements
    stored.merge(other.stored, uniquingKeysWith: +)
    duplicates += other.duplicates
    rejected.merge(other.rejected, uniquingKeysWith: +)
  }
}
