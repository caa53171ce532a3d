/// The subscriptions of a connection, and the owners of the well-known names in their rules.
struct Subscriptions {
  struct Entry {
    let rules: [MatchRule]
    let buffer: SignalBuffer
    /// The rules that the bus has accepted.
    var added: [MatchRule] = []
    var failure: BusError?

    var isLive: Bool { added.count == rules.count }
  }

  private(set) var entries: [UInt64: Entry] = [:]
  var owners = NameOwners()

  mutating func insert(_ id: UInt64, _ rules: [MatchRule], _ buffer: SignalBuffer) {
    entries[id] = Entry(rules: rules, buffer: buffer)
  }

  /// Records that the bus has accepted a rule.
  ///
  /// - Returns: `false` if the subscription has ended, so that the rule must be removed from the bus.
  mutating func acknowledge(_ rule: MatchRule, of id: UInt64) -> Bool {
    entries[id]?.added.append(rule)
    return entries[id] != nil
  }

  mutating func fail(_ id: UInt64, _ error: BusError) {
    if entries[id]?.failure == nil { entries[id]?.failure = error }
  }

  mutating func remove(_ id: UInt64) -> Entry? {
    entries.removeValue(forKey: id)
  }

  mutating func finishAll() {
    for entry in entries.values { entry.buffer.finish() }
    entries.removeAll()
  }

  /// Returns the queues of the subscriptions that a signal matches.
  func buffers(matching message: IncomingMessage) -> [SignalBuffer] {
    entries.values.compactMap { entry in
      entry.isLive && entry.rules.contains { $0.matches(message, owners: owners) } ? entry.buffer : nil
    }
  }

  /// Updates the owners of names from a NameOwnerChanged signal, which the bus sends before the new owner's
  /// first signal.
  mutating func followOwners(_ message: IncomingMessage) {
    guard message.member == "NameOwnerChanged", message.sender == BusDaemon.name,
      let body = try? message.body(), body.count == 3, let name = body[0].asString,
      let owner = body[2].asString
    else { return }
    owners.set(owner.isEmpty ? nil : owner, of: name)
  }
}

/// The owners of the well-known names in match rules. They are needed because a signal contains only the
/// unique name of its sender.
struct NameOwners {
  private struct Entry {
    var uses = 0
    var owner: String?
    /// The position of the owner's last message.
    var senderPosition: SenderPosition?
  }

  private var entries: [String: Entry] = [:]

  func owner(of name: String) -> String? {
    entries[name]?.owner
  }

  /// - Returns: Whether this is the first use of the name, so that tracking must begin.
  mutating func retain(_ name: String) -> Bool {
    entries[name, default: Entry()].uses += 1
    return entries[name]?.uses == 1
  }

  /// - Returns: Whether this was the last use of the name, so that tracking must end.
  mutating func release(_ name: String) -> Bool {
    entries[name]?.uses -= 1
    guard entries[name]?.uses == 0 else { return false }
    entries[name] = nil
    return true
  }

  mutating func set(_ owner: String?, of name: String) {
    guard entries[name] != nil, entries[name]?.owner != owner else { return }
    entries[name]?.senderPosition = nil
    entries[name]?.owner = owner
  }

  /// Records a received message. Must be called for messages of all types.
  ///
  /// - Parameter isResponse: Whether it is a reply to this program, but not to a ping.
  /// - Returns: Its position among its sender's messages; `nil` if the sender does not own any name in a
  ///   match rule.
  mutating func senderPosition(serial: UInt32, from sender: String?, isResponse: Bool) -> SenderPosition? {
    guard let sender, let index = entries.firstIndex(where: { $0.value.owner == sender }) else { return nil }
    let senderPosition =
      entries.values[index].senderPosition?.next(serial: serial, isResponse: isResponse)
      ?? SenderPosition(serial: serial, responses: 0)
    entries.values[index].senderPosition = senderPosition
    return senderPosition
  }
}
