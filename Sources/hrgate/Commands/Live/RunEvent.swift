import BlueZ
import Bluetooth
import Gateway
import HealthDataSync
import HealthSystem
import Ingestion

/// The JSON objects that `hrgate run --json` prints, one per line. docs/hrgate-run.schema.json describes
/// them. The names are stable; unknown values are absent.
enum RunEvent {
  /// An event as a JSON object and as a line of text.
  protocol Printable: Encodable {
    var time: String { get }
    var text: String { get }
    /// Severity of the event in the journal.
    var priority: JournalPriority { get }
  }

  /// An event with the person it concerns; `nil` for the account owner.
  struct OfPerson<Event: Printable>: Encodable {
    var person: String?
    var event: Event

    private enum Key: CodingKey {
      case person
    }

    func encode(to encoder: any Encoder) throws {
      try event.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(person, forKey: .person)
    }

    var text: String { person.map { "\(event.text)  (\($0.plain))" } ?? event.text }
  }

  /// The followed monitors: at the start, and whenever they change.
  struct Enrolled: Printable {
    struct Monitor: Encodable {
      var monitor: String
      var name: String?
      var bonded: Bool
    }

    /// `start` or `enrolled`.
    let event: String
    var time: String
    var monitors: [Monitor]

    init(_ monitors: [EnrolledMonitor], isStart: Bool, at time: String) {
      event = isStart ? "start" : "enrolled"
      self.time = time
      self.monitors = monitors.map {
        Monitor(monitor: $0.address.description, name: $0.name, bonded: $0.isBonded)
      }
    }

    var text: String { "\(time)  \(event)  \(Counted.text(monitors.count, "monitor"))" }
  }

  /// Another gateway runs on the store; this one waits until it ends.
  struct Waiting: Printable {
    let event = "waiting"
    var time: String
    /// Process ID of the other gateway.
    var process: Int32?

    var text: String { line(time, OtherGateway(process: process).description) }
  }

  /// A monitor changed its state.
  struct State: Printable {
    let event = "state"
    var time: String
    var monitor: String
    var name: String?
    var state: String
    var adapter: String?
    /// The message of bluetoothd.
    var detail: String?
    /// What the user can do.
    var advice: String?

    init(_ status: FollowStatus, name: String?, advice: String?, at time: String) {
      self.time = time
      monitor = status.monitor.description
      self.name = name
      state = status.state.rawValue
      adapter = status.adapter?.description
      detail = status.detail
      self.advice = advice
    }

    var priority: JournalPriority { advice == nil ? .information : .warning }
    var text: String { line(time, monitor, name, state, detail, advice) }
  }

  /// A measurement was received.
  struct Measurement: Printable {
    let event = "measurement"
    /// Receipt time.
    var time: String
    var monitor: String
    var name: String?
    /// Beats per minute, as sent.
    var heartRate: Int
    /// Absent if the monitor does not report skin contact.
    var contact: Bool?
    /// Total energy expended, in kilojoules.
    var energy: Int?
    /// RR intervals in seconds.
    var intervals: [Double]

    init(_ measurement: LiveMeasurement, name: String?) {
      time = Timestamp.text(measurement.receiptTime)
      monitor = measurement.monitor.description
      self.name = name
      heartRate = measurement.heartRate
      contact = measurement.hasContact
      energy = measurement.energy
      intervals = measurement.intervals
    }

    /// Does not contain the measured values, because the lines of text may be written to a log.
    var text: String { line(time, monitor, name, event) }
  }

  /// A monitor reported its battery level.
  struct Battery: Printable {
    let event = "battery"
    var time: String
    var monitor: String
    var name: String?
    /// Percent.
    var battery: Int

    init(_ battery: LiveBattery, name: String?, at time: String) {
      self.time = time
      monitor = battery.monitor.description
      self.name = name
      self.battery = battery.percentage
    }

    var text: String { line(time, monitor, name, "battery \(battery) %") }
  }

  /// A stored gap began, changed or ended.
  struct Gap: Printable {
    let event = "gap"
    var time: String
    private let gap: GapView

    init(_ gap: GapView, at time: String) {
      self.time = time
      self.gap = gap
    }

    private enum Key: CodingKey {
      case event, time
    }

    /// Encodes the fields of a gap, as in `monitors gaps --json`, and those of the event.
    func encode(to encoder: any Encoder) throws {
      try gap.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(event, forKey: .event)
      try container.encode(time, forKey: .time)
    }

    var priority: JournalPriority { .notice }
    var text: String {
      line(
        time, gap.monitor, gap.name, "gap", gap.cause,
        "\(Timestamp.text(gap.start)) – \(gap.end.map(Timestamp.text) ?? "")")
    }
  }

  /// The wall clock was set after it had been wrong. Samples that were stored in that period are marked.
  struct Clock: Printable {
    let event = "clock"
    var time: String
    private let error: ClockErrorLine

    init(_ error: ClockError, at time: String) {
      self.time = time
      self.error = ClockErrorLine(error)
    }

    private enum Key: CodingKey {
      case event, time
    }

    /// Encodes the fields of a clock error, as in `monitors gaps --json`, and those of the event.
    func encode(to encoder: any Encoder) throws {
      try error.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(event, forKey: .event)
      try container.encode(time, forKey: .time)
    }

    var priority: JournalPriority { .warning }
    var text: String { line(time, error.setting(from: error.start, to: error.end)) }
  }

  /// A clock change could not be stored.
  struct ClockRefused: Printable {
    let event = "clock-refused"
    var time: String
    var failure: String

    static func sentence(_ failure: String) -> String {
      "The clock change could not be stored, so samples from before it are not marked: \(failure)"
    }

    var priority: JournalPriority { .error }
    var text: String { line(time, Self.sentence(failure)) }
  }

  /// A sync destination changed its state.
  struct Sync: Printable {
    let event = "sync"
    var time: String
    var destination: String
    var kind: String
    var state: String
    /// The error, and what the user can do.
    var lastError: String?

    init(_ update: SyncUpdate) {
      time = Timestamp.text(update.time)
      destination = update.destination
      kind = update.kind
      state = update.state.rawValue
      lastError = update.error
    }

    var priority: JournalPriority { lastError == nil ? .information : .warning }
    var text: String { line(time, "sync", destination, state, lastError) }
  }

  /// Number of gateway events that were dropped because they were not printed in time.
  struct Missed: Printable {
    let event = "missed"
    /// Time of the first dropped event.
    var time: String
    var count: Int

    var priority: JournalPriority { .warning }
    var text: String { line(time, "\(Counted.text(count, "event is", "events are")) missing here") }
  }

  /// Number of output lines that were dropped because the reader was too slow.
  struct Dropped: Encodable {
    let event = "dropped"
    var count: Int
  }

  /// A monitor's data deviates from the specification.
  struct Advice: Printable {
    let event = "advice"
    var time: String
    var monitor: String
    var name: String
    var problem: String
    var advice: String

    init(_ advice: MonitorAdvice, of monitor: MonitorTally, at time: String) {
      self.time = time
      self.monitor = monitor.peripheral.description
      name = monitor.name
      problem = advice.problem.rawValue
      self.advice = advice.text
    }

    var priority: JournalPriority { .warning }
    var text: String { line(time, event, advice) }
  }

  /// The run ended; the counts cover the complete run.
  struct End: Printable {
    let event = "end"
    var time: String
    var measurements: Int
    var stored: [String: Int]
    var duplicates: Int
    var rejected: [String: Int]
    var anomalies: [String: Int]
    /// Number of clock changes that could not be stored; absent if there are none.
    var refusedClockChanges: Int?
    var monitors: [ReplayLine.Monitor]
    private let account: String

    private enum CodingKeys: CodingKey {
      case event, time, measurements, stored, duplicates, rejected, anomalies, refusedClockChanges, monitors
    }

    init(_ tally: IngestionTally, at time: String) {
      self.time = time
      measurements = tally.measurements
      stored = tally.stored
      duplicates = tally.duplicates
      rejected = Dictionary(uniqueKeysWithValues: tally.rejected.map { ($0.key.rawValue, $0.value) })
      anomalies = tally.anomalies
      refusedClockChanges = tally.refusedClockChanges > 0 ? tally.refusedClockChanges : nil
      monitors = tally.monitors.map { ReplayLine.Monitor($0) }
      account = tally.text
    }

    var text: String { account }
  }

  /// Joins the nonempty fields to one line; control characters in names are escaped.
  static func line(_ fields: String?...) -> String {
    fields.compactMap { $0?.plain }.filter { !$0.isEmpty }.joined(separator: "  ")
  }
}

extension RunEvent.Printable {
  var priority: JournalPriority { .information }
}
