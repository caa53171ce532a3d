/// The status of a gateway on D-Bus.
public struct GatewayStatus: Hashable, Sendable {
  /// A one-line summary without names and values.
  public var summary = ""
  /// The error if the store does not accept measurements.
  public var storeFailure: String?
  /// Number of measurements in this run: the sum of stored, duplicates, rejected and waiting.
  public var measurements: UInt64 = 0
  public var stored: UInt64 = 0
  public var duplicates: UInt64 = 0
  public var rejected: UInt64 = 0
  /// Number of measurements in memory that are not processed yet.
  public var waiting: UInt64 = 0
  /// The monitors in order of enrollment.
  public var monitors: [MonitorStatus] = []

  public init() {}
}
