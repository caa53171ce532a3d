package import Bluetooth
package import HealthStorage

/// What is known about a strap before its first event: its description, gaps and settings.
package struct KnownStrap: Sendable {
  /// The description stored by an earlier run.
  var description: MonitorDescription?
  var gaps: GapTracker
  var settings: MonitorSettings

  package init(
    description: MonitorDescription? = nil, gaps: GapTracker, settings: MonitorSettings = MonitorSettings()
  ) {
    self.description = description
    self.gaps = gaps
    self.settings = settings
  }

  func session(_ peripheral: PeripheralIdentity) -> StrapSession {
    guard let description else { return StrapSession(peripheral, gaps: gaps, settings: settings) }
    return StrapSession(description, gaps: gaps, settings: settings)
  }
}

extension [PeripheralIdentity: KnownStrap] {
  /// - Parameters:
  ///   - openGaps: The gaps that were still open when earlier runs ended.
  ///   - described: The descriptions from recordings that were read before this one.
  ///   - expected: The user's monitors, with the last committed measurement of each or, without one, the
  ///     start of a killed run that may have received some. Empty for a recording, whose result must not
  ///     depend on the user's monitors.
  ///   - settings: The user's settings for straps.
  package init(
    openGaps: [MonitorGapRecord], described: [MonitorDescription] = [],
    expected: [(
      description: MonitorDescription, lastMeasurement: ReceiptTime?, missedSince: ReceiptTime?
    )] = [],
    settings: [PeripheralIdentity: MonitorSettings] = [:]
  ) {
    self = [:]
    let inherited = [AddressRecord: [MonitorGapRecord]](grouping: openGaps, by: \.monitor)
    for (monitor, gaps) in inherited {
      guard let address = BluetoothAddress(monitor) else { continue }
      self[.address(address)] = KnownStrap(gaps: GapTracker(inherited: gaps.map(GapDraft.init)))
    }
    for description in described where description.peripheral.isIdentified {
      self[description.peripheral] = KnownStrap(
        description: description, gaps: self[description.peripheral]?.gaps ?? GapTracker())
    }
    for (description, lastMeasurement, missedSince) in expected {
      guard case .address(let address) = description.peripheral else { continue }
      let gaps = inherited[AddressRecord(address), default: []].map(GapDraft.init)
      self[description.peripheral] = KnownStrap(
        description: description,
        gaps: GapTracker(
          inherited: gaps, lastMeasurement: lastMeasurement, missedSince: missedSince, isExpected: true))
    }
    for (peripheral, settings) in settings where settings != MonitorSettings() {
      self[peripheral, default: KnownStrap(gaps: GapTracker())].settings = settings
    }
  }
}

extension PeripheralIdentity {
  fileprivate var isIdentified: Bool { if case .address = self { true } else { false } }
}
