/// What the records of an export came to.
public struct RecordTally: Sendable {
  /// Samples that the export states, also flawed ones.
  public internal(set) var records = 0
  /// Those that are sound, by the identifier of their type.
  public internal(set) var read: [String: Int] = [:]
  /// Elements, types and statistics that this version does not store, by their names.
  public internal(set) var unread: [String: Int] = [:]
  public internal(set) var flaws: [RecordFlaw: Int] = [:]
  /// What the user says of themselves, as the export states it.
  var characteristics: [(name: String, value: String)] = []

  /// More names than Apple has types: the rest of what a hostile file makes up is counted together.
  private static let mostNames = 1000

  /// Samples that are not stored for what is wrong with them.
  public var rejected: Int { flaws.filter { !$0.key.isPartial }.values.reduce(0, +) }

  mutating func count(_ flaw: RecordFlaw) { flaws[flaw, default: 0] += 1 }

  mutating func set(_ flaw: RecordFlaw, to count: Int) { flaws[flaw] = count > 0 ? count : nil }

  mutating func countRead(_ type: String) { read[type, default: 0] += 1 }

  mutating func countUnread(_ name: String) {
    let name = unread[name] != nil || unread.count < Self.mostNames ? String(name.prefix(100)) : "others"
    unread[name, default: 0] += 1
  }
}
