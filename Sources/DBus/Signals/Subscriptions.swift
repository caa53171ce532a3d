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
  private(set) var owners = NameOwners()
  private var repeated = RepeatedChanges()

  mutating func insert(_ id: UInt64, _ rules: [MatchRule], _ buffer: SignalBuffer) {
    entries[id] = Entry(rules: rules, buffer: buffer)
    repeated.forget()
  }

  /// - Returns: false when the subscription is gone, and the bus's rule is to be taken back.
  mutating func acknowledge(_ rule: MatchRule, of id: UInt64) -> Bool {
    entries[id]?.added.append(rule)
    repeated.forget()
    return entries[id] != nil
  }

  mutating func fail(_ id: UInt64, _ error: BusError) {
    if entries[id]?.failure == nil { entries[id]?.failure = error }
  }

  mutating func remove(_ id: UInt64) -> Entry? {
    repeated.forget()
    return entries.removeValue(forKey: id)
  }

  mutating func finishAll() {
    for entry in entries.values { entry.buffer.finish() }
    entries.removeAll()
    repeated.forget()
  }

  // MARK: - Whose names are followed

  /// - Returns: whether this is the first use, with which following begins.
  mutating func retain(_ name: String) -> Bool { owners.retain(name) }

  /// - Returns: whether this was the last use, with which following ends.
  mutating func release(_ name: String) -> Bool { owners.release(name) }

  mutating func setOwner(_ owner: String?, of name: String) {
    owners.set(owner, of: name)
    repeated.forget()
  }

  /// Where a message stands among those of its sender; each that comes has to be told.
  mutating func place(serial: UInt32, from sender: String?, isDealing: Bool) -> SenderPlace? {
    owners.place(serial: serial, from: sender, isDealing: isDealing)
  }

  // MARK: - Handing on

  /// Hands a signal to each subscription that it fits, once to each. The body is read when the first header
  /// fits.
  mutating func deliver(_ message: IncomingMessage, _ frame: RawSpan) {
    followOwners(message)
    guard let path = message.path, let interface = message.interface, let member = message.member else {
      return
    }
    var body: Result<[DBusValue], BusError>?
    var takers: [SignalBuffer] = []
    for entry in entries.values where entry.isLive {
      let rules = entry.rules.filter { $0.matches(message.header, owners: owners) }
      guard !rules.isEmpty else { continue }
      let read = body ?? Result { () throws(BusError) in try message.body() }
      body = read
      switch read {
      case .success(let values) where rules.contains(where: { $0.matches(firstArgument: values.first) }):
        takers.append(entry.buffer)
      case .success: break
      // It would have been theirs and cannot be read: lost, and told as that.
      case .failure: entry.buffer.lose()
      }
    }
    guard !takers.isEmpty, case .success(let values)? = body else { return }
    let signal = Signal(
      sender: message.sender, path: path, interface: interface, member: member, body: values,
      arrival: message.arrival)
    for buffer in takers { buffer.offer(signal) }
    repeated.learn(frame, signal, takers)
  }

  /// Whether a signal may be one that somebody has subscribed to; the first argument decides too, and is not
  /// known.
  func mayWant(_ header: MessageHeader) -> Bool {
    entries.values.contains { entry in
      entry.isLive && entry.rules.contains { $0.matches(header, owners: owners) }
    }
  }

  /// Finds what came before with other octets, which need not be read again; its place is counted.
  ///
  /// - Returns: What it is, where its octets lie, and its place; nil for anything else.
  mutating func find(
    _ frame: RawSpan
  ) -> (known: RepeatedChanges.Known, octets: Range<Int>, place: SenderPlace?)? {
    guard let (known, octets) = repeated.find(frame) else { return nil }
    let place = owners.place(
      serial: RepeatedChange.serial(of: frame), from: known.change.sender, isDealing: false)
    return (known, octets, place)
  }

  /// The bus tells of a new owner before it passes on the first signal of that owner.
  private mutating func followOwners(_ message: IncomingMessage) {
    guard message.sender == BusDaemon.name, message.member == "NameOwnerChanged",
      let body = try? message.body(), body.count == 3, let name = body[0].asString,
      let owner = body[2].asString
    else { return }
    setOwner(owner.isEmpty ? nil : owner, of: name)
  }
}
