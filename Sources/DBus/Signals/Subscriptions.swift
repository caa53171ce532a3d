/// Who gets which signals.
struct Subscriptions {
  struct Entry {
    let rules: [MatchRule]
    let buffer: SignalBuffer
    /// The rules that the bus has acknowledged.
    var added: [MatchRule] = []
    var failure: BusError?

    var isLive: Bool { added.count == rules.count }
  }

  private(set) var entries: [UInt64: Entry] = [:]
  var owners = NameOwners()

  mutating func insert(_ id: UInt64, _ rules: [MatchRule], _ buffer: SignalBuffer) {
    entries[id] = Entry(rules: rules, buffer: buffer)
  }

  /// - Returns: false when the subscription is gone, and the bus's rule is to be taken back.
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

  /// Hands a signal to each subscription that it fits, once to each. The body is read when the first header
  /// fits.
  mutating func deliver(_ message: IncomingMessage) {
    followOwners(message)
    guard let path = message.path, let interface = message.interface, let member = message.member else {
      return
    }
    var body: Result<[DBusValue], BusError>?
    for entry in entries.values where entry.isLive {
      let rules = entry.rules.filter { $0.matches(header: message, owners: owners) }
      guard !rules.isEmpty else { continue }
      let read = body ?? Result { () throws(BusError) in try message.body() }
      body = read
      switch read {
      case .success(let values) where rules.contains(where: { $0.matches(firstArgument: values.first) }):
        entry.buffer.offer(
          Signal(
            sender: message.sender, path: path, interface: interface, member: member, body: values,
            arrival: message.arrival))
      case .success: break
      // It would have been theirs and cannot be read: lost, and told as that.
      case .failure: entry.buffer.lose()
      }
    }
  }

  /// The bus tells of a new owner before it passes on the first signal of that owner.
  private mutating func followOwners(_ message: IncomingMessage) {
    guard message.sender == BusDaemon.name, message.member == "NameOwnerChanged",
      let body = try? message.body(), body.count == 3, let name = body[0].asString,
      let owner = body[2].asString
    else { return }
    owners.set(owner.isEmpty ? nil : owner, of: name)
  }
}
