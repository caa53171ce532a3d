/// How a gateway stands, as the bus tells it.
public struct GatewayStatus: Hashable, Sendable {
  /// A line without names and values.
  public var summary = ""
  /// Why the store does not take what was measured.
  public var storeFailure: String?
  /// What came in this run. Measurements = stored + duplicates + rejected + waiting.
  public var measurements: UInt64 = 0
  public var stored: UInt64 = 0
  public var duplicates: UInt64 = 0
  public var rejected: UInt64 = 0
  /// Measurements whose fate is not decided: they are in memory.
  public var waiting: UInt64 = 0
  /// In the order in which they were enrolled.
  public var monitors: [MonitorStatus] = []

  public init() {}
}
