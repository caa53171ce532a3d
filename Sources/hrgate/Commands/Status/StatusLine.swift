import HealthDataSync

/// The JSON object that `hrgate status --json` prints. The names are stable; unknown values are absent.
struct StatusLine: Encodable {
  struct Monitor: Encodable {
    var address: String
    var name: String?
    /// The person to whom the monitor belongs; absent for the account owner.
    var person: String?
    var state: String?
    var detail: String?
    var advice: String?
    var adapter: String?
    var battery: Int?
    var bonded: Bool
    /// Beats per minute of the last measurement.
    var heartRate: Int?
    /// Receipt time of the last measurement.
    var time: String?
    /// Age of the last measurement in seconds.
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
  /// The person to whom the output is limited; absent if it shows all people.
  var person: String?
  /// The sum of the four counters below. Counters are for all people, and absent if the output is limited to
  /// one.
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

/// The status as a table.
enum StatusTable {
  /// Age in seconds after which a heart rate is hidden, as in the table of `hrgate run`.
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
    // An old heart rate is hidden; only its age is shown.
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
