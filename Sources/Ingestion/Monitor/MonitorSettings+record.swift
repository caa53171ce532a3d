package import HealthStorage

extension MonitorRecord {
  /// The settings that the user declared. An interval unit that this version does not know counts as the
  /// standard's.
  package var settings: MonitorSettings {
    var settings = MonitorSettings()
    settings.intervalUnit = intervalUnit.flatMap(MonitorSettings.IntervalUnit.init(rawValue:)) ?? .standard
    settings.ignoresSensorContact = ignoresContact
    return settings
  }
}
