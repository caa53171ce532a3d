import HealthDataSync

/// What `hrgate status --json` prints. The names are a promise; what is not known is absent.
struct StatusLine: Encodable {
  struct Monitor: Encodable {
    var address: String
    var name: String?
    /// Whose it is, where that is not the owner.
    var person: String?
    var state: String?
    var detail: String?
    var advice: String?
    var adapter: String?
    var battery: Int?
    var bonded: Bool
    /// Beats per minute, as last sent.
    var heartRate: Int?
    /// When that was received.
    var time: String?
    /// How old it is, in seconds.
    var age: Double?
    var contact: Bool?
    var measurements: UInt64

    init(_ monitor: MonitorStatus, now: UInt64) {
      address = monitor.address
      name = monitor.name
      person = monitor.person
      state = monitor.state
      detail = monitor.detail
      advice = monitor.advice
      adapter = monitor.adapter
      battery = monitor.battery.map(Int.init)
      bonded = monitor.isBonded
      heartRate = monitor.heartRate.map(Int.init)
      time = monitor.measuredAt.map { Timestamp.text(microsecondsSince1970: Int64(clamping: $0)) }
      age = monitor.age(at: now)
      contact = monitor.hasContact
      measurements = monitor.measurements
    }
  }

  var summary: String
  var storeFailure: String?
  /// Of whom alone it is told; absent where that is everybody.
  var person: String?
  /// The sum of the four that follow. Of all together, and absent where it is told of one.
  var measurements: UInt64?
  var stored: UInt64?
  var duplicates: UInt64?
  var rejected: UInt64?
  var waiting: UInt64?
  var monitors: [Monitor]

  init(_ part: StatusPerson.Part, now: UInt64) {
    let status = part.status
    summary = status.summary
    storeFailure = status.storeFailure
    person = part.person
    monitors = status.monitors.map { Monitor($0, now: now) }
    guard person == nil else { return }
    measurements = status.measurements
    stored = status.stored
    duplicates = status.duplicates
    rejected = status.rejected
    waiting = status.waiting
  }
}

/// The same for people.
enum StatusTable {
  /// So many seconds, as in the table of `hrgate run`.
  private static let freshFor = 10.0

  static func lines(_ part: StatusPerson.Part, now: UInt64) -> [String] {
    let status = part.status
    let account =
      "\(status.measurements) measurements: \(status.stored) stored, \(status.duplicates) duplicates, "
      + "\(status.rejected) rejected, \(status.waiting) waiting"
    let hasPeople = part.person == nil && status.monitors.contains { $0.person != nil }
    let rows = TextTable.lines(status.monitors.map { row($0, hasPeople: hasPeople, now) })
    let monitors = zip(rows, status.monitors).flatMap { row, monitor in
      [row] + (monitor.advice?.plainLines ?? []).map { "  → " + $0 }
    }
    guard let person = part.person else { return [status.summary.plain, account] + monitors }
    let count = Counted.text(status.monitors.count, "monitor")
    return ["\(status.summary.plain) (of all)", "\(person.plain): \(count)"] + monitors
  }

  private static func row(_ monitor: MonitorStatus, hasPeople: Bool, _ now: UInt64) -> [String] {
    // An old pulse is none: only when it was is told.
    let isFresh = monitor.age(at: now).map { $0 <= freshFor } ?? false
    let rate = isFresh ? monitor.heartRate.map { "\($0)/min" } ?? "" : ""
    let age = monitor.age(at: now).map { Age.text(seconds: Int64($0)) + " ago" } ?? ""
    return [
      monitor.address, (monitor.name ?? "").plain,
    ] + (hasPeople ? [(monitor.person ?? "").plain] : []) + [
      (monitor.state ?? "").plain, rate, age, monitor.battery.map { "battery \($0) %" } ?? "",
    ]
  }
}
