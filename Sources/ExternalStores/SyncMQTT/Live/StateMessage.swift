internal import Foundation
internal import HealthDataSync

/// The JSON message with a monitor's state. The keys are those of `hrgate run --json` and are stable. All
/// keys are always present: values that are unknown or too old are `null`.
struct StateMessage: Encodable {
  private var monitor: LiveMonitor
  private var measurement: LiveMonitor.Measurement?
  private var identity: ExternalIdentity
  private var selection: LiveSelection

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - measurement: The latest measurement, or `nil` if it is too old.
  ///   - selection: Which live values the destination receives.
  init(
    _ monitor: LiveMonitor, _ measurement: LiveMonitor.Measurement?, _ identity: ExternalIdentity,
    _ selection: LiveSelection
  ) {
    self.monitor = monitor
    self.measurement = measurement
    self.identity = identity
    self.selection = selection
  }

  private enum CodingKeys: CodingKey {
    case monitor, name, gateway, gatewayID, state, detail, advice, battery, rssi, rssiTime
    case time, heartRate, contact, intervals
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(monitor.address, forKey: .monitor)
    try container.encode(monitor.name, forKey: .name)
    try container.encode(identity.gateway, forKey: .gateway)
    try container.encode(identity.gatewayID, forKey: .gatewayID)
    try container.encode(monitor.state, forKey: .state)
    try container.encode(monitor.detail, forKey: .detail)
    try container.encode(monitor.advice, forKey: .advice)
    try container.encode(monitor.battery, forKey: .battery)
    try container.encode(monitor.signal?.rssi, forKey: .rssi)
    try container.encode(monitor.signal.map { Timestamp.text($0.time) }, forKey: .rssiTime)
    try container.encode(measurement.map { Timestamp.text($0.time) }, forKey: .time)
    try container.encode(selection.hasPulse ? measurement?.pulse : nil, forKey: .heartRate)
    try container.encode(selection.hasPulse ? measurement?.hasContact : nil, forKey: .contact)
    try container.encode(intervals, forKey: .intervals)
  }

  private var intervals: [Double] {
    guard selection.hasIntervals, let measurement, measurement.pulse != nil else { return [] }
    return measurement.intervals
  }
}
