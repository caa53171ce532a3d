extension BusConnection {
  /// Subscribes to the signals that fit one of the rules; each comes once. The subscription is live when this
  /// returns: the bus has acknowledged each rule.
  ///
  /// - Parameter capacity: how many events wait for the consumer; what does not fit is counted in its place.
  /// - Throws: `BusError` with `.invalidMessage` for a rule that is none, the bus's own (`.limitsExceeded`
  ///   among them), and what `call` throws.
  public func signals(
    matching rules: [MatchRule], capacity: Int = 65_536
  ) async throws(BusError) -> SignalSequence {
    for rule in rules { try rule.check() }
    _ = try openWire()
    let id = nextTicket()
    let buffer = SignalBuffer(capacity: capacity)
    subscriptions.insert(id, rules, buffer)
    for name in rules.compactMap(\.followedSender) { watchOwner(of: name, for: id) }
    for rule in rules { add(rule, of: id) }
    do throws(BusError) {
      // The bus answers in order: with this reply all those before have been handed on.
      try await call(.bus("GetId"))
      if let failure = subscriptions.entries[id]?.failure { throw failure }
      _ = try openWire()
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
    for name in entry.rules.compactMap(\.followedSender) where subscriptions.release(name) {
      remove(.ownerChanges(of: name))
    }
  }

  private func add(_ rule: MatchRule, of id: UInt64) {
    request(.bus("AddMatch", [.string(rule.description)]), ticket: nextTicket(), timeout: nil) {
      [self] result in
      switch result {
      // Nobody wants it any more, and only now is it known to be there.
      case .success: if !subscriptions.acknowledge(rule, of: id) { remove(rule) }
      case .failure(let error): subscriptions.fail(id, error)
      }
    }
  }

  /// Asks for the changes of an owner first and for the owner then, so that no change is between.
  private func watchOwner(of name: String, for id: UInt64) {
    guard subscriptions.retain(name) else { return }
    let rule = MatchRule.ownerChanges(of: name)
    request(.bus("AddMatch", [.string(rule.description)]), ticket: nextTicket(), timeout: nil) {
      [self] result in
      if case .failure(let error) = result { subscriptions.fail(id, error) }
    }
    request(.bus("GetNameOwner", [.string(name)]), ticket: nextTicket(), timeout: nil) { [self] result in
      // The failure is the bus's word for a name without an owner.
      let owner = (try? result.get())?.body.first?.asString
      subscriptions.setOwner(owner, of: name)
    }
  }

  /// On a connection that has ended there is nothing to take back.
  private func remove(_ rule: MatchRule) {
    try? send(.bus("RemoveMatch", [.string(rule.description)]))
  }
}
