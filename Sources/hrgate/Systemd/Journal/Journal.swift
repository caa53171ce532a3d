internal import Glibc

/// A connection to journald, for entries with fields.
public struct Journal: Sendable {
  /// Path of journald's socket.
  public static let place = "/run/systemd/journal/socket"

  private let socket: DatagramSocket
  private let identifier: String

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - place: The path of the socket, or `@` and an abstract name.
  ///   - identifier: The program's syslog identifier.
  /// - Returns: `nil` if the path is invalid or no socket can be created. ``isHeard`` tells whether journald
  ///   is listening.
  public init?(at place: String = Journal.place, as identifier: String) {
    guard let socket = DatagramSocket(to: place) else { return nil }
    self.socket = socket
    self.identifier = identifier
  }

  /// Whether journald is listening.
  public var isHeard: Bool { socket.isHeard }

  /// Sends an entry. Blocks for a few seconds at most if journald is busy.
  ///
  /// - Returns: Whether journald has received it.
  public func write(_ entry: JournalEntry) -> Bool { socket.send(entry.encoded(as: identifier)) == 0 }

  /// Returns whether a descriptor is connected to the journal: systemd.exec(5), "$JOURNAL_STREAM".
  public static func takes(_ descriptor: Int32, environment: [String: String]) -> Bool {
    var status = stat()
    guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else { return false }
    // A child process may inherit the variable but have another output.
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
