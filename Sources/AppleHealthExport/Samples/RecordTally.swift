/// Counts of an export's records.
public struct RecordTally: Sendable {
  /// Number of records (samples) in the export, including invalid ones.
  public internal(set) var records = 0
  /// Number of valid samples by type identifier.
  public internal(set) var read: [String: Int] = [:]
  /// Number of elements that hrgate does not import, by the name of the element, type or statistic.
  public internal(set) var unread: [String: Int] = [:]
  /// Number of records that are invalid or only partially stored, by error.
  public internal(set) var problems: [RecordError: Int] = [:]
  /// The user's characteristics in the export.
  var characteristics: [(name: String, value: String)] = []

  /// Maximum number of names in the dictionaries `read` and `unread`: more than Apple has types. Further
  /// names, as in a malicious file, are counted together.
  private static let mostNames = 1000

  /// Number of samples that are not stored because they are invalid.
  public var rejected: Int { problems.filter { !$0.key.isPartial }.values.reduce(0, +) }

  mutating func count(_ flaw: RecordError) { problems[flaw, default: 0] += 1 }

  mutating func set(_ flaw: RecordError, to count: Int) { problems[flaw] = count > 0 ? count : nil }

  mutating func countRead(_ type: String) { read[type, default: 0] += 1 }

  mutating func countUnread(_ name: String) {
    let name = unread[name] != nil || unread.count < Self.mostNames ? String(name.prefix(100)) : "others"
    unread[name, default: 0] += 1
  }
}
