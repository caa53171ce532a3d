/// A connection to the manager of a service of `Type=notify`.
public struct ServiceNotifier: Sendable {
  /// Interval within which the manager expects ``ServiceNotification/watchdog``; `nil` if it expects none
  /// from this process.
  public let watchdogInterval: Duration?
  private let socket: DatagramSocket

  /// Connects to the manager.
  ///
  /// - Parameters:
  ///   - environment: Contains `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
  ///   - process: The ID of this process. The watchdog may be meant for another one.
  /// - Returns: `nil` if no manager expects notifications.
  public init?(environment: [String: String], process: Int32) {
    guard let place = environment["NOTIFY_SOCKET"], let socket = DatagramSocket(to: place) else { return nil }
    self.socket = socket
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// Sends notifications in one message.
  ///
  /// - Returns: Whether the manager has received them. A failure needs no handling.
  @discardableResult
  public func send(_ notifications: ServiceNotification...) -> Bool {
    socket.send(Array(notifications.map(\.assignment).joined(separator: "\n").utf8)) == 0
  }
}

/// A notification to the service manager: sd_notify(3), "Well-known assignments".
public enum ServiceNotification: Hashable, Sendable {
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
