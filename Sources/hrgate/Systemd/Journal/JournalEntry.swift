/// An entry of the journal: a line for people, how grave it is, and fields by which programs find it.
///
/// The form is that of journald's own protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
public struct JournalEntry: Hashable, Sendable {
  public var message: String
  public var priority: JournalPriority
  /// By names of the letters A to Z, digits and underscores. The journal drops a field whose name begins
  /// with an underscore or has more than 64 letters.
  public var fields: [String: String]

  /// So many octets of a value are kept: an entry is to fit into one message.
  static let greatestValue = 8192

  public init(_ message: String, _ priority: JournalPriority, fields: [String: String] = [:]) {
    self.message = message
    self.priority = priority
    self.fields = fields
  }

  /// - Parameter identifier: What tells this program's entries from others'.
  func encoded(as identifier: String) -> [UInt8] {
    var bytes: [UInt8] = []
    Self.append("MESSAGE", message, to: &bytes)
    Self.append("PRIORITY", "\(priority.rawValue)", to: &bytes)
    Self.append("SYSLOG_IDENTIFIER", identifier, to: &bytes)
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { Self.append(name, value, to: &bytes) }
    return bytes
  }

  /// What has a line feed in it has its length before it: it would begin another field.
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

  /// With how much is left out, where something is.
  private static func shortened(_ value: String) -> String {
    let count = value.utf8.count
    guard count > greatestValue else { return value }
    var end = value.utf8.index(value.startIndex, offsetBy: greatestValue)
    // Not in the middle of a character.
    while end.samePosition(in: value.unicodeScalars) == nil { end = value.utf8.index(before: end) }
    let kept = value[..<end]
    return kept + " … (\(count - kept.utf8.count) octets more)"
  }
}
