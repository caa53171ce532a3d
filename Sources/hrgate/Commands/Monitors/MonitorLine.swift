import Bluetooth
import Foundation
import Gateway
import HealthDataSync
import Ingestion

/// What `hrgate monitors --json` prints for a monitor. The names are a promise; what is not known is absent.
struct MonitorLine: Encodable {
  var address: String
  /// `public` or `random`.
  var addressType: String
  var name: String?
  /// Whose it is, where that is not the owner.
  var person: String?
  var manufacturer: String?
  var model: String?
  var serialNumber: String?
  var hardware: String?
  var firmware: String?
  var software: String?
  /// `chest`, `wrist`, `finger`, `hand`, `earLobe`, `foot` or `other`.
  var location: String?
  /// Percent.
  var battery: Int?
  var bonded: Bool
  var enrolled: String
  var lastSeen: String?
  var lastMeasurement: String?
  var adapter: String?
  /// As `hrgate run --json` names the states; `stopped` if no gateway runs.
  var state: String?
  /// `ms` if the user declared that its RR intervals are milliseconds; absent for 1/1024 s.
  var intervalUnit: String?
  /// `ignore` if the user declared that what it says about sensor contact is wrong; absent otherwise.
  var sensorContact: String?

  /// - Parameters:
  ///   - hasGateway: Whether a gateway runs on the store: one that was killed could not say that it has
  ///     ended.
  ///   - person: Whose it is; `nil` for the owner.
  init(_ monitor: EnrolledMonitor, hasGateway: Bool, person: String? = nil) {
    self.person = person
    address = monitor.address.description
    addressType = monitor.address.kind.text
    name = monitor.name
    manufacturer = monitor.manufacturer
    model = monitor.model
    serialNumber = monitor.serialNumber
    hardware = monitor.hardwareRevision
    firmware = monitor.firmwareRevision
    software = monitor.softwareRevision
    location = monitor.sensorLocation.map { "\($0)" }
    battery = monitor.battery
    bonded = monitor.isBonded
    enrolled = Timestamp.text(monitor.enrolled)
    lastSeen = monitor.lastSeen.map(Timestamp.text)
    lastMeasurement = monitor.lastMeasurement.map(Timestamp.text)
    adapter = monitor.adapter?.description
    intervalUnit = monitor.settings.intervalUnit == .milliseconds ? "ms" : nil
    sensorContact = monitor.settings.ignoresSensorContact ? "ignore" : nil
    state = monitor.state.map { hasGateway ? $0.rawValue : MonitorState.stopped.rawValue }
  }
}

extension MonitorLine {
  /// The declared settings for people; empty for the standard's.
  var declared: String {
    [intervalUnit.map { "interval unit \($0)" }, sensorContact.map { _ in "contact ignored" }]
      .compactMap(\.self).joined(separator: ", ")
  }
}

/// What `hrgate monitors gaps --json` prints for a gap. The names are a promise.
struct GapLine: Encodable {
  var monitor: String
  /// null where none is known.
  var name: String?
  var start: String
  /// null while it lasts.
  var end: String?
  /// Seconds; null while it lasts.
  var duration: Double?
  var cause: String
  /// How many measurements are known to be lost; null where that is not known.
  var lost: Int?

  init(_ gap: MonitorGap, name: String?) {
    monitor = gap.monitor.description
    self.name = name
    start = Timestamp.text(gap.start)
    end = gap.end.map(Timestamp.text)
    duration = gap.end.map { Double($0.microseconds(since: gap.start)) / 1e6 }
    cause = gap.cause.rawValue
    lost = gap.lost
  }

  private enum Key: CodingKey {
    case monitor, name, start, end, duration, cause, lost
  }

  /// With `null` for what there is not: a reader need not know whether a field is missing or empty.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(monitor, forKey: .monitor)
    try container.encode(name, forKey: .name)
    try container.encode(start, forKey: .start)
    try container.encode(end, forKey: .end)
    try container.encode(duration, forKey: .duration)
    try container.encode(cause, forKey: .cause)
    try container.encode(lost, forKey: .lost)
  }
}

extension BluetoothAddress.Kind {
  /// As BlueZ names them.
  var text: String {
    switch self {
    case .publicDevice: "public"
    case .random: "random"
    }
  }
}

extension Timestamp {
  static func text(_ time: ReceiptTime) -> String { text(microsecondsSince1970: time.microsecondsSince1970) }
}

extension ReceiptTime {
  var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6) }
}
