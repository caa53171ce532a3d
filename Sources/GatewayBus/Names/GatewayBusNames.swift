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

  /// What the machine's bus has to be told: nobody but the owner and root speaks to the gateway or hears of
  /// it.
  ///
  /// dbus-daemon(1), "POLICY"; the later rule counts, and a user's rules come after those for everybody.
  public static func policy(ofUser number: UInt32) -> String {
    let name = systemName(ofUser: number)
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <!-- Who may speak to a user's heart-rate gateway, and hear what it says: the user, and root. -->
      <busconfig>
        <policy context="default">
          <deny own="\(name)"/>
          <deny send_destination="\(name)"/>
          <deny receive_sender="\(name)"/>
        </policy>
        <policy user="root">
          <allow send_destination="\(name)"/>
          <allow receive_sender="\(name)"/>
        </policy>
        <policy user="\(number)">
          <allow own="\(name)"/>
          <allow send_destination="\(name)"/>
          <allow receive_sender="\(name)"/>
        </policy>
      </busconfig>

      """
  }
}
