internal import Foundation

/// What is published of a monitor's state. The names are those of `hrgate run --json`, and a promise. Each is
/// always there: what is not known, or no longer, is `null`.
struct StateMessage: Encodable {
  private var monitor: LiveMonitor
  private var measurement: LiveMonitor.Measurement?
  private var gateway: String

  /// - Parameter measurement: What is live of it.
  init(_ monitor: LiveMonitor, _ measurement: LiveMonitor.Measurement?, gateway: String) {
    self.monitor = monitor
    self.measurement = measurement
    self.gateway = gateway
  }

  private enum CodingKeys: CodingKey {
    case monitor, name, gateway, state, detail, advice, battery, rssi
    case time, heartRate, contact, intervals
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(monitor.address, forKey: .monitor)
    try container.encode(monitor.name, forKey: .name)
    try container.encode(gateway, forKey: .gateway)
    try container.encode(monitor.state, forKey: .state)
    try container.encode(monitor.detail, forKey: .detail)
    try container.encode(monitor.advice, forKey: .advice)
    try container.encode(monitor.battery, forKey: .battery)
    try container.encode(monitor.rssi, forKey: .rssi)
    try container.encode(measurement.map { MessageTime.text($0.time) }, forKey: .time)
    try container.encode(measurement?.pulse, forKey: .heartRate)
    try container.encode(measurement?.hasContact, forKey: .contact)
    try container.encode(measurement?.pulse == nil ? [] : measurement?.intervals ?? [], forKey: .intervals)
  }
}
