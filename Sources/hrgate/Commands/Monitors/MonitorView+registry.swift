import Bluetooth
import Foundation
import Gateway
import HealthDataSync
import HealthSystem
import Ingestion

extension MonitorView {
  /// - Parameters:
  ///   - hasGateway: Whether a gateway runs on the store. Otherwise the stored state is outdated: a gateway
  ///     that was killed did not update it.
  ///   - person: The person to whom the monitor belongs; `nil` for the account owner.
  init(_ monitor: EnrolledMonitor, hasGateway: Bool, person: String? = nil) {
    self.init(
      address: monitor.address.description, addressType: monitor.address.kind.name, bonded: monitor.isBonded,
      enrolled: monitor.enrolled.date)
    self.person = person
    name = monitor.name
    manufacturer = monitor.manufacturer
    model = monitor.model
    serialNumber = monitor.serialNumber
    hardware = monitor.hardwareRevision
    firmware = monitor.firmwareRevision
    software = monitor.softwareRevision
    location = monitor.sensorLocation.map { "\($0)" }
    battery = monitor.battery
    lastSeen = monitor.lastSeen?.date
    lastMeasurement = monitor.lastMeasurement?.date
    adapter = monitor.adapter?.description
    intervalUnit = monitor.settings.intervalUnit == .milliseconds ? "ms" : nil
    sensorContact = monitor.settings.ignoresSensorContact ? "ignore" : nil
    state = monitor.state.map { hasGateway ? $0.rawValue : MonitorState.stopped.rawValue }
  }

  /// The declared settings as text; empty if the monitor follows the standard.
  var declared: String {
    [intervalUnit.map { "interval unit \($0)" }, sensorContact.map { _ in "contact ignored" }]
      .compactMap(\.self).joined(separator: ", ")
  }
}

extension GapView {
  init(_ gap: MonitorGap, name: String?) {
    self.init(
      monitor: gap.monitor.description, name: name, start: gap.start.date, end: gap.end?.date,
      duration: gap.end.map { Double($0.microseconds(since: gap.start)) / 1e6 }, cause: gap.cause.rawValue,
      lost: gap.lost)
  }
}

extension Timestamp {
  static func text(_ time: ReceiptTime) -> String { time.description }
}
