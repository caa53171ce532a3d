extension StrapSession {
  /// The strap's counts; `nil` if it sent no measurement.
  var tally: MonitorTally? {
    guard measurements > 0 else { return nil }
    return MonitorTally(
      peripheral: description.peripheral, name: description.sourceName,
      bundleIdentifier: MonitorDescription.sourceIdentifier(of: description.address),
      measurements: measurements,
      lastReceipt: gaps.lastFrame, openGap: gaps.cause, surplusIntervals: surplusIntervals,
      intervalRatio: intervalRatio, withoutContact: withoutContact, settings: settings)
  }
}
