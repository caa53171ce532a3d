extension BusConnection {
  /// Subscribes to the signals that match at least one of the rules. Each signal is delivered once. The bus
  /// has acknowledged each rule when this returns.
  ///
  /// - Parameter capacity: Maximum number of pending events. Signals that do not fit are counted in their
  ///   place.
  /// - Throws: `BusError` with `.invalidMessage` for an invalid rule, the bus's own errors such as
  ///   `.limitsExceeded`, and errors of `call`.
  public func signals(
    matching rules: [MatchRule], capacity: Int = 65_536
  ) async throws(BusError) -> SignalSequence {
    for rule in rules { try rule.check() }
    try openConnection()
    let id = nextTicket()
    let buffer = SignalBuffer(capacity: capacity)
    subscriptions.insert(id, rules, buffer)
    for name in rules.compactMap(\.followedSender) { watchOwner(of: name, for: id) }
    for rule in rules { add(rule, of: id) }
    do throws(BusError) {
      // The bus replies in order, so all replies before this one have been handled.
      try await call(.bus("GetId"))
      if let failure = subscriptions.entries[id]?.failure { throw failure }
      try openConnection()
    } catch {
      unsubscribe(id)
      throw error
    }
    return SignalSequence(subscription: Subscription(connection: self, id: id, buffer: buffer))
  }

  func unsubscribe(_ id: UInt64) {
    guard let entry = subscriptions.remove(id) else { return }
    entry.buffer.finish()
    for rule in entry.added { remove(rule) }
    for name in entry.rules.compactMap(\.followedSender) where subscriptions.owners.release(name) {
      remove(.ownerChanges(of: name))
    }
  }

  private func add(_ rule: MatchRule, of id: UInt64) {
    request(.bus("AddMatch", [.string(rule.description)]), ticket: nextTicket(), timeout: nil) {
      [self] result in
      switch result {
      // The subscription has ended in the meantime.
      case .success: if !subscriptions.acknowledge(rule, of: id) { remove(rule) }
      case .failure(let error): subscriptions.fail(id, error)
      }
    }
  }

  /// Subscribes to changes of a name's owner before querying the owner, so that no change is missed.
  private func watchOwner(of name: String, for id: UInt64) {
    guard subscriptions.owners.retain(name) else { return }
    let rule = MatchRule.ownerChanges(of: name)
    request(.bus("AddMatch", [.string(rule.description)]), ticket: nextTicket(), timeout: nil) {
      [self] result in
      if case .failure(let error) = result { subscriptions.fail(id, error) }
    }
    request(.bus("GetNameOwner", [.string(name)]), ticket: nextTicket(), timeout: nil) { [self] result in
      // The call fails if the name has no owner.
      let owner = (try? result.get())?.body.first?.asString
      subscriptions.owners.set(owner, of: name)
    }
  }

  /// Removes a rule. After the end of the connection there is nothing to remove.
  private func remove(_ rule: MatchRule) {
    try? send(.bus("RemoveMatch", [.string(rule.description)]))
  }
}
