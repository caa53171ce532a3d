import HealthKit

extension StrapSession {
  /// What the strap came to, where it measured at all.
  var tally: MonitorTally? {
    guard measurements > 0 else { return nil }
    let source = description.source
    return MonitorTally(
      peripheral: description.peripheral, name: source.name, bundleIdentifier: source.bundleIdentifier,
      measurements: measurements, lastReceipt: gaps.lastFrame, openGap: gaps.cause)
  }
}
