import Bluetooth
import Foundation
import Gateway
import HealthDataSync
import HealthSystem
import Ingestion

extension EnrolledMonitor {
  /// Returns the monitor as commands print it.
  ///
  /// Its state is `stopped` if no gateway runs on the store, because a gateway that was killed did not update
  /// the stored state. The type of the adapter's address is left out.
  func printed(hasGateway: Bool) -> EnrolledMonitor {
    var monitor = self
    if !hasGateway, state != nil { monitor.state = .stopped }
    monitor.adapter = adapter.map { BluetoothAddress(bits: $0.bits, kind: .publicDevice) }
    return monitor
  }

  /// The declared settings as text; empty if the monitor follows the standard.
  var declared: String {
    [
      settings.intervalUnit == .milliseconds ? "interval unit ms" : nil,
      settings.ignoresSensorContact ? "contact ignored" : nil,
    ].compactMap(\.self).joined(separator: ", ")
  }
}

/// A monitor and its person as JSON.
struct OwnedMonitor: Encodable {
  var monitor: EnrolledMonitor
  /// `nil` for the owner.
  var person: String?

  private enum CodingKeys: CodingKey { case person }

  func encode(to encoder: any Encoder) throws {
    try monitor.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(person, forKey: .person)
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
