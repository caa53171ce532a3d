/// A journal entry: a message, its priority, and fields for queries.
///
/// The encoding is journald's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
public struct JournalEntry: Hashable, Sendable {
  public var message: String
  public var priority: JournalPriority
  /// Fields by name. Names contain the letters A to Z, digits and underscores. journald drops fields whose
  /// name begins with an underscore or has more than 64 characters.
  public var fields: [String: String]

  /// Maximum size of a value in bytes, so that an entry fits into one message.
  static let greatestValue = 8192

  public init(_ message: String, _ priority: JournalPriority, fields: [String: String] = [:]) {
    self.message = message
    self.priority = priority
    self.fields = fields
  }

  /// Encodes the entry in journald's native protocol.
  /// - Parameter identifier: The program's syslog identifier.
  func encoded(as identifier: String) -> [UInt8] {
    var bytes: [UInt8] = []
    Self.append("MESSAGE", message, to: &bytes)
    Self.append("PRIORITY", "\(priority.rawValue)", to: &bytes)
    Self.append("SYSLOG_IDENTIFIER", identifier, to: &bytes)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { Self.append(name, value, to: &bytes) }
    return bytes
  }

  /// Appends a field. A value with line feeds is preceded by its length; otherwise it could begin another
  /// field.
  private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    let value = shortened(value)
    bytes += Array(name.utf8)
    if value.utf8.contains(UInt8(ascii: "\n")) {
      bytes.append(UInt8(ascii: "\n"))
      withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += Array(value.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Shortens a long value and appends the number of omitted bytes.
  private static func shortened(_ value: String) -> String {
    let count = value.utf8.count
    guard count > greatestValue else { return value }
    var end = value.utf8.index(value.startIndex, offsetBy: greatestValue)
    // Do not split a character.
    while end.samePosition(in: value.unicodeScalars) == nil { end = value.utf8.index(before: end) }
    let kept = value[..<end]
    return kept + " … (\(count - kept.utf8.count) more bytes)"
  }
}

/// The priority of a journal entry, numbered as in syslog(3).
public enum JournalPriority: Int, Hashable, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case information = 6
}
