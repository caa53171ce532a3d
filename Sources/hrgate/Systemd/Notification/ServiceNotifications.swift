/// A notification to the service manager: sd_notify(3), "Well-known assignments".
public enum ServiceNotifications: Hashable, Sendable {
  /// The service has started.
  case ready
  /// The service is stopping.
  case stopping
  /// A one-line status. It is visible to every user of the machine.
  case status(String)
  /// The service has done work since the last notification.
  case watchdog

  /// The line of the message. Line feeds are removed, because they would begin another assignment.
  var assignment: String {
    switch self {
    case .ready: "READY=1"
    case .stopping: "STOPPING=1"
    case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
    case .watchdog: "WATCHDOG=1"
    }
  }
}
