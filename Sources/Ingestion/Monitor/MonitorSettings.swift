package import HealthStorage

/// How a monitor deviates from the specification, as declared by the user. Without a declaration, nothing is
/// corrected.
public struct MonitorSettings: Hashable, Sendable {
  /// The unit of RR intervals. The raw value is the number of units per second.
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
  /// Whether to store heart rates even if the monitor reports no skin contact.
  public var ignoresSensorContact = false

  public init() {}
}

extension MonitorRecord {
  /// The user's settings. An interval unit unknown to this version is read as
  /// ``MonitorSettings/IntervalUnit/standard``.
  package var settings: MonitorSettings {
    var settings = MonitorSettings()
    settings.intervalUnit = intervalUnit.flatMap(MonitorSettings.IntervalUnit.init(rawValue:)) ?? .standard
    settings.ignoresSensorContact = ignoresContact
    return settings
  }
}
