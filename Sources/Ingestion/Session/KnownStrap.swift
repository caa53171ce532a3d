import Bluetooth
import BluetoothCentral

/// What is known of a strap before its session begins.
struct KnownStrap: Sendable {
  /// What it said of itself in an earlier run.
  var description: MonitorDescription?
  var gaps: GapTracker

  func session(_ peripheral: PeripheralIdentity) -> StrapSession {
    if let description { return StrapSession(description, gaps: gaps) }
    return StrapSession(peripheral, gaps: gaps)
  }
}

extension [PeripheralIdentity: KnownStrap] {
  /// - Parameters:
  ///   - monitors: Those that the user enrolled; none for a recording, which is to be read alike whoever is enrolled.
  ///   - openGaps: The gaps that earlier runs left open.
  init(_ monitors: [EnrolledMonitor], openGaps: [MonitorGap]) {
    self = [:]
    let gaps = [BluetoothAddress: [MonitorGap]](grouping: openGaps, by: \.monitor)
    for (address, gaps) in gaps {
      self[.address(address)] = KnownStrap(gaps: GapTracker(inherited: gaps.map(GapDraft.init)))
    }
    for monitor in monitors {
      let inherited = gaps[monitor.address, default: []].map(GapDraft.init)
      self[.address(monitor.address)] = KnownStrap(
        description: MonitorDescription(monitor),
        gaps: GapTracker(
          inherited: inherited, lastMeasurement: monitor.lastMeasurement, isExpected: true))
    }
  }
}

extension GapDraft {
  fileprivate init(_ gap: MonitorGap) {
    self.init(start: gap.start, end: gap.end, cause: gap.cause, lost: gap.lost)
  }
}
