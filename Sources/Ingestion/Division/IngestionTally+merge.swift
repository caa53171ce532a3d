import Bluetooth

extension IngestionTally {
  /// Adds the counts of another part of the same recording.
  mutating func merge(_ other: IngestionTally) {
    measurements += other.measurements
    duplicates += other.duplicates
    refusedClockChanges += other.refusedClockChanges
    stored.merge(other.stored, uniquingKeysWith: +)
    rejected.merge(other.rejected, uniquingKeysWith: +)
    anomalies.merge(other.anomalies, uniquingKeysWith: +)
    let places = Dictionary(
      monitors.enumerated().map { ($1.peripheral, $0) }, uniquingKeysWith: { first, _ in first })
    for monitor in other.monitors {
      if let place = places[monitor.peripheral] {
        monitors[place].measurements += monitor.measurements
        monitors[place].surplusIntervals += monitor.surplusIntervals
        monitors[place].intervalRatio = monitors[place].intervalRatio ?? monitor.intervalRatio
        monitors[place].withoutContact += monitor.withoutContact
      } else {
        monitors.append(monitor)
      }
    }
  }
}
