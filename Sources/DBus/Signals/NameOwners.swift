/// Who owns the names that rules are written with. A signal names its sender by the unique name alone.
struct NameOwners {
  private struct Entry {
    var uses = 0
    var owner: String?
    /// Of the owner's last message.
    var place: SenderPlace?
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
    if entries[name]?.owner != owner { entries[name]?.place = nil }
    entries[name]?.owner = owner
  }

  /// A message came; each that comes has to be told, whatever its kind.
  ///
  /// - Parameter isDealing: It is an answer to us, and not to a ping.
  /// - Returns: Its place; `nil` where its sender owns no name that rules are written with.
  mutating func place(serial: UInt32, from sender: String?, isDealing: Bool) -> SenderPlace? {
    guard let sender, let index = entries.firstIndex(where: { $0.value.owner == sender }) else { return nil }
    let place =
      entries.values[index].place?.next(serial: serial, isDealing: isDealing)
      ?? SenderPlace(serial: serial, dealings: 0)
    entries.values[index].place = place
    return place
  }
}
