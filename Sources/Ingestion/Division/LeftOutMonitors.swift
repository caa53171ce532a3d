import Bluetooth
import HealthKit

/// Counts the measurements that no store receives.
struct LeftOutMonitors {
  /// Maximum number of monitors with separate counts, because a recording may contain any number of monitors.
  /// Measurements of further monitors are only in the total.
  private static let capacity = 1024

  private struct Monitor {
    var description: MonitorDescription
    var reasons: [Rejection: Int] = [:]

    var measurements: Int { reasons.values.reduce(0, +) }
  }

  private var monitors: [Monitor] = []
  private var places: [PeripheralIdentity: Int] = [:]
  private var rejected: [Rejection: Int] = [:]

  /// The number of skipped measurements.
  var measurements: Int { rejected.values.reduce(0, +) }

  /// The number of skipped measurements of each monitor, by reason.
  var reasons: [PeripheralIdentity: [Rejection: Int]] {
    monitors.reduce(into: [:]) { if $1.measurements > 0 { $0[$1.description.peripheral] = $1.reasons } }
  }

  var tally: IngestionTally {
    var tally = IngestionTally()
    tally.measurements = measurements
    tally.rejected = rejected
    tally.monitors = monitors.filter { $0.measurements > 0 }.map {
      let source = $0.description.source
      return MonitorTally(
        peripheral: $0.description.peripheral, name: source.name, bundleIdentifier: source.bundleIdentifier,
        measurements: $0.measurements)
    }
    return tally
  }

  mutating func receive(_ event: CentralEvent, of peripheral: PeripheralIdentity, _ reason: Rejection) {
    switch event {
    case .notified(let notification) where notification.characteristic == .heartRateMeasurement:
      count(1, of: peripheral, reason)
    case .repeated(_, let count): self.count(count, of: peripheral, reason)
    default: break
    }
  }

  /// Records the description of a monitor, even if none of its measurements are skipped.
  mutating func learn(_ event: CentralEvent) {
    switch event {
    case .named(let peripheral, let name): change(peripheral) { $0.description.setName(name) }
    case .valueRead(let peripheral, let characteristic, let value):
      change(peripheral) { $0.description.learn(characteristic, value) }
    default: break
    }
  }

  /// Resets the counts, but keeps the descriptions of the monitors.
  mutating func forgetCounts() {
    rejected = [:]
    for place in monitors.indices { monitors[place].reasons = [:] }
  }

  private mutating func count(_ count: Int, of peripheral: PeripheralIdentity, _ reason: Rejection) {
    rejected[reason, default: 0] += count
    change(peripheral) { $0.reasons[reason, default: 0] += count }
  }

  private mutating func change(_ peripheral: PeripheralIdentity, _ change: (inout Monitor) -> Void) {
    if places[peripheral] == nil {
      guard monitors.count < Self.capacity else { return }
      places[peripheral] = monitors.count
      monitors.append(Monitor(description: MonitorDescription(peripheral)))
    }
    if let place = places[peripheral] { change(&monitors[place]) }
  }
}
