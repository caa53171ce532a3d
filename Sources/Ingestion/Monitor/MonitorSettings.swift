package import HealthStorage

/// How a monitor deviates from the specification, as the user has declared. Without a declaration nothing is
/// corrected.
public struct MonitorSettings: Hashable, Sendable {
  /// The unit of RR intervals. The raw value is the number of units in a second.
  public enum IntervalUnit: Int, Hashable, Sendable {
    /// 1/1024 s, as the Heart Rate Service specifies.
    case standard = 1024
    case milliseconds = 1000

    package func seconds(_ count: Int) -> Double { Double(count) / Double(rawValue) }

    /// Converts a number of these units to microseconds, rounded down.
    func microseconds(_ count: Int64) -> Int64 { count * 1_000_000 / Int64(rawValue) }
  }

  /// The unit in which the monitor sends RR intervals.
  public var intervalUnit = IntervalUnit.standard
  /// Whether to store heart rates although the monitor reports no skin contact.
  public var ignoresSensorContact = false

  public init() {}
}

extension MonitorRecord {
  /// The settings that the user has declared. An interval unit that this version does not know is read as
  /// ``MonitorSettings/IntervalUnit/standard``.
  package var settings: MonitorSettings {
    var settings = MonitorSettings()
    settings.intervalUnit = intervalUnit.flatMap(MonitorSettings.IntervalUnit.init(rawValue:)) ?? .standard
    settings.ignoresSensorContact = ignoresContact
    return settings
  }
}
