public import DBus

/// How a gateway is found on a bus.
public enum GatewayBusNames {
  /// On a user's own bus, where there is one gateway.
  public static let sessionName = "org.hrgate.Gateway1"

  /// On the machine's bus, where each user may have one.
  public static func systemName(ofUser number: UInt32) -> String { "\(sessionName).uid\(number)" }

  public static let root: ObjectPath = "/org/hrgate/Gateway1"
  static let gatewayInterface = "org.hrgate.Gateway1"
  static let monitorInterface = "org.hrgate.Gateway1.Monitor"
  static let watch = "Watch"

  /// `/org/hrgate/Gateway1/monitor_C0_FF_EE_00_00_01`.
  static func path(ofMonitor address: String) -> ObjectPath? {
    root.appending("monitor_" + address.replacing(":", with: "_"))
  }
}
