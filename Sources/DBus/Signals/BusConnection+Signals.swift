extension BusConnection {
  /// Subscribes to the signals that match at least one of the rules. A signal that matches several rules is
  /// delivered once. When this method returns, the bus has accepted all rules.
  ///
  /// - Parameter capacity: Maximum number of pending events. Signals beyond it are dropped, and replaced by
  ///   `lost` with their count.
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
      // The bus replies in order, so after this reply, all replies to AddMatch have been handled.
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
      // The subscription has ended in the meantime, so remove the rule again.
      case .success: if !subscriptions.acknowledge(rule, of: id) { remove(rule) }
      case .failure(let error): subscriptions.fail(id, error)
      }
    }
  }

  /// Starts to track the owner of a name. Subscribes to changes before asking for the owner, so that no
  /// change is missed.
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

  /// Removes a rule from the bus. Does nothing after the end of the connection.
  private func remove(_ rule: MatchRule) {
    try? send(.bus("RemoveMatch", [.string(rule.description)]))
  }
}
