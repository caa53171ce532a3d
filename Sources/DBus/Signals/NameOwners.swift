/// Who owns the names that rules are written with. A signal names its sender by the unique name alone.
struct NameOwners {
  private struct Entry {
    var uses = 0
    var owner: String?
  }

  private var entries: [String: Entry] = [:]

  func owner(of name: String) -> String? {
    entries[name]?.owner
  }

  /// - Returns: whether this is the first use, with which following begins.
  mutating func retain(_ name: String) -> Bool {
    entries[name, default: Entry()].uses += 1
    return entries[name]?.uses == 1
  }

  /// - Returns: whether this was the last use, with which following ends.
  mutating func release(_ name: String) -> Bool {
    entries[name]?.uses -= 1
    guard entries[name]?.uses == 0 else { return false }
    entries[name] = nil
    return true
  }

  mutating func set(_ owner: String?, of name: String) {
    entries[name]?.owner = owner
  }
}
