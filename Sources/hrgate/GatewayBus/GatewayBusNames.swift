public import DBus

/// The D-Bus names of a gateway.
public enum GatewayBusNames {
  /// The name on the session bus, which has one gateway.
  public static let sessionName = "org.hrgate.Gateway1"

  /// Returns the name on the system bus, where each user may have a gateway.
  public static func systemName(ofUser number: UInt32) -> String { "\(sessionName).uid\(number)" }

  public static let root: ObjectPath = "/org/hrgate/Gateway1"
  static let gatewayInterface = "org.hrgate.Gateway1"
  static let monitorInterface = "org.hrgate.Gateway1.Monitor"
  static let watch = "Watch"

  /// Returns a monitor's object path, such as `/org/hrgate/Gateway1/monitor_C0_FF_EE_00_00_01`.
  static func path(ofMonitor address: String) -> ObjectPath? {
    root.appending("monitor_" + address.replacing(":", with: "_"))
  }
}
