/// What a service tells the manager that started it. sd_notify(3), "Well-known assignments".
public enum ServiceNews: Hashable, Sendable {
  /// It has started.
  case ready
  /// It is about to end.
  case stopping
  /// How it stands, in a line for people. It is shown to every user of the machine.
  case status(String)
  /// It has done work since it last said so.
  case watchdog

  /// A line of the message. A line feed would begin another assignment.
  var assignment: String {
    switch self {
    case .ready: "READY=1"
    case .stopping: "STOPPING=1"
    case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
    case .watchdog: "WATCHDOG=1"
    }
  }
}
