import BlueZ
import Bluetooth
import Gateway
import HealthDataSync
import HealthSystem
import Ingestion

/// What `hrgate run --json` prints, one object a line, as docs/hrgate-run.schema.json describes it. The names
/// are a promise; what is not known is absent.
enum RunEvent {
  /// An event, for a program and for a person.
  protocol Told: Encodable {
    var time: String { get }
    var text: String { get }
    /// How grave it is, for a log.
    var priority: JournalPriority { get }
  }

  /// An event with whom it is about, where that is not the owner.
  struct OfPerson<Event: Told>: Encodable {
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

  /// Which monitors are followed: at the start, and whenever that changes.
  struct Enrolled: Told {
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

  /// Another gateway runs on the store, and its end is waited for.
  struct Waiting: Told {
    let event = "waiting"
    var time: String
    /// Its process.
    var process: Int32?

    var text: String { line(time, OtherGateway(process: process).description) }
  }

  /// A monitor is in another state.
  struct State: Told {
    let event = "state"
    var time: String
    var monitor: String
    var name: String?
    var state: String
    var adapter: String?
    /// What bluetoothd said.
    var detail: String?
    /// What the user may do.
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

  /// A monitor measured.
  struct Measurement: Told {
    let event = "measurement"
    /// Of its receipt.
    var time: String
    var monitor: String
    var name: String?
    /// Beats per minute, as sent.
    var heartRate: Int
    /// Absent where the monitor does not tell.
    var contact: Bool?
    /// Kilojoules, the monitor's total.
    var energy: Int?
    /// Seconds between beats.
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

    /// Without its values: lines of text may end in a log.
    var text: String { line(time, monitor, name, event) }
  }

  /// A monitor told its battery level.
  struct Battery: Told {
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

  /// A gap began, changed or ended, and is stored so.
  struct Gap: Told {
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

    /// With the fields of `monitors gaps`.
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

  /// The clock was set back: until then it was ahead, and what was stored by it is marked.
  struct Clock: Told {
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

    /// With the fields of `monitors gaps`.
    func encode(to encoder: any Encoder) throws {
      try error.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(event, forKey: .event)
      try container.encode(time, forKey: .time)
    }

    var priority: JournalPriority { .warning }
    var text: String { line(time, error.setting(from: error.start, to: error.end)) }
  }

  /// The clock was set, and the store does not take what that says of the times in it.
  struct ClockRefused: Told {
    let event = "clock-refused"
    var time: String
    var failure: String

    static func sentence(_ failure: String) -> String {
      "The store does not take that the clock was set, and what was stored while it was ahead is not marked: "
        + failure
    }

    var priority: JournalPriority { .error }
    var text: String { line(time, Self.sentence(failure)) }
  }

  /// A destination is in another state.
  struct Sync: Told {
    let event = "sync"
    var time: String
    var destination: String
    var kind: String
    var state: String
    /// Why it gets nothing now, and what the user may do.
    var lastError: String?

    init(_ news: SyncNews) {
      time = Timestamp.text(news.time)
      destination = news.destination
      kind = news.kind
      state = news.state.rawValue
      lastError = news.error
    }

    var priority: JournalPriority { lastError == nil ? .information : .warning }
    var text: String { line(time, "sync", destination, state, lastError) }
  }

  /// So many events of the gateway are missing here: it could not wait until they were printed.
  struct Missed: Told {
    let event = "missed"
    /// When the first of them was.
    var time: String
    var count: Int

    var priority: JournalPriority { .warning }
    var text: String { line(time, "\(Counted.text(count, "event is", "events are")) missing here") }
  }

  /// So many lines are missing here: nobody read what was printed.
  struct Dropped: Encodable {
    let event = "dropped"
    var count: Int
  }

  /// What a monitor sends deviates from the specification.
  struct Advice: Told {
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

  /// The run is over; the counts are its whole account.
  struct End: Told {
    let event = "end"
    var time: String
    var measurements: Int
    var stored: [String: Int]
    var duplicates: Int
    var rejected: [String: Int]
    var anomalies: [String: Int]
    /// Absent where there are none.
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

  /// What there is, in one line; names are shown as they can be.
  static func line(_ fields: String?...) -> String {
    fields.compactMap { $0?.plain }.filter { !$0.isEmpty }.joined(separator: "  ")
  }
}

extension RunEvent.Told {
  var priority: JournalPriority { .information }
}
