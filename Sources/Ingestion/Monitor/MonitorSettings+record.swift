package import HealthStorage

extension MonitorRecord {
  /// What the user declared about the monitor. A unit that this version does not know counts as the
  /// standard's.
  package var settings: MonitorSettings {
    var settings = MonitorSettings()
    settings.intervalUnit = intervalUnit.flatMap(MonitorSettings.IntervalUnit.init(rawValue:)) ?? .standard
    settings.ignoresSensorContact = ignoresContact
    return settings
  }
}
