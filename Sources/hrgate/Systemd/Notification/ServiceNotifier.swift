/// The way to the manager that started this program as a service of `Type=notify`.
public struct ServiceNotifier: Sendable {
  /// What the manager expects to hear ``ServiceNews/watchdog`` within; `nil` where it waits for none of this
  /// process.
  public let watchdogInterval: Duration?
  private let socket: DatagramSocket

  /// - Parameters:
  ///   - environment: Of which `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are read.
  ///   - process: This process' number: a watchdog may be meant for another.
  /// - Returns: `nil` for a program that no manager wants to hear of.
  public init?(environment: [String: String], process: Int32) {
    guard let place = environment["NOTIFY_SOCKET"], let socket = DatagramSocket(to: place) else { return nil }
    self.socket = socket
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// Tells it, in one message.
  /// - Returns: Whether the manager has it. Where it has not, there is nobody to be told.
  @discardableResult
  public func tell(_ news: ServiceNews...) -> Bool {
    socket.send(Array(news.map(\.assignment).joined(separator: "\n").utf8)) == 0
  }
}
