internal import Glibc

/// The way to journald, for entries with fields.
public struct Journal: Sendable {
  /// Where journald listens.
  public static let place = "/run/systemd/journal/socket"

  private let socket: DatagramSocket
  private let identifier: String

  /// - Parameters:
  ///   - place: The path of the socket, or `@` and a name.
  ///   - identifier: What tells this program's entries from others'.
  /// - Returns: `nil` for what is no place, and where the system has no socket for us. Whether somebody
  ///   listens there is another question: ``isHeard``.
  public init?(at place: String = Journal.place, as identifier: String) {
    guard let socket = DatagramSocket(to: place) else { return nil }
    self.socket = socket
    self.identifier = identifier
  }

  /// Whether journald listens now.
  public var isHeard: Bool { socket.isHeard }

  /// Waits, for a few seconds at most, where journald is behind.
  /// - Returns: Whether journald has it.
  public func write(_ entry: JournalEntry) -> Bool { socket.send(entry.encoded(as: identifier)) == 0 }

  /// Whether what is written to a descriptor goes to the journal: systemd.exec(5), "$JOURNAL_STREAM".
  public static func takes(_ descriptor: Int32, environment: [String: String]) -> Bool {
    var status = stat()
    guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else { return false }
    // A program that a service has started may have the variable, and another output.
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
