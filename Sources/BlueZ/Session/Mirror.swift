import DBus

/// The tree as it is now, for procedures that go step by step and wait for it to say something.
actor Mirror {
  private(set) var tree = ObjectTree()
  /// The first snapshot has come, or it is known that there is none.
  private var isInformed = false
  private var isDaemonPresent = false
  private var isConnected = true
  private var refusal: BlueZUnavailable?
  private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastListener = 0

  func take(_ happening: BlueZSession.Happening) {
    switch happening {
    case .event(let event, _):
      if case .snapshot = event { isDaemonPresent = true }
      if case .daemonVanished = event { isDaemonPresent = false }
      _ = tree.apply(event)
    case .daemonIsAbsent:
      isDaemonPresent = false
    case .signalsLost:
      // A snapshot follows.
      return
    }
    isInformed = true
    tellListeners()
  }

  func refuse(_ refusal: BlueZUnavailable) {
    self.refusal = refusal
    tellListeners()
  }

  func noteDisconnection() {
    isConnected = false
    tellListeners()
  }

  /// Waits until the tree answers a question.
  ///
  /// - Returns: The answer, or `nil` where there was none in time.
  /// - Throws: ``BlueZUnavailable`` where bluetoothd or the bus goes meanwhile; `CancellationError`.
  func wait<Answer: Sendable>(
    upTo limit: Duration, for question: @escaping @Sendable (ObjectTree) -> Answer?
  ) async throws -> Answer? {
    let (number, changes) = listen()
    defer { listeners[number] = nil }
    return try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        if let answer = try await self.ask(question) { return answer }
        for await _ in changes {
          if let answer = try await self.ask(question) { return answer }
        }
        throw CancellationError()
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Waits until the tree is so.
  ///
  /// - Returns: Whether it was in time.
  /// - Throws: As ``wait(upTo:for:)``.
  func holds(
    within limit: Duration, _ condition: @escaping @Sendable (ObjectTree) -> Bool
  ) async throws -> Bool {
    try await wait(upTo: limit) { condition($0) ? true : nil } ?? false
  }

  /// Calls `look` with the tree at each change, at most this often, until the time is over.
  func watch(for time: Duration, _ look: @Sendable (ObjectTree) -> Void) async throws {
    let deadline = ContinuousClock.now + time
    while ContinuousClock.now < deadline {
      _ = try ask { _ in () }
      look(tree)
      let pause = min(.milliseconds(250), deadline - .now)
      try await Task.sleep(for: pause)
    }
    look(tree)
  }

  private func ask<Answer>(_ question: (ObjectTree) -> Answer?) throws -> Answer? {
    if let refusal { throw refusal }
    guard isConnected else { throw BlueZUnavailable.busAbsent("the connection was lost") }
    guard isInformed else { return nil }
    guard isDaemonPresent else { throw BlueZUnavailable.daemonAbsent }
    return question(tree)
  }

  private func listen() -> (number: Int, changes: AsyncStream<Void>) {
    let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    lastListener += 1
    listeners[lastListener] = continuation
    return (lastListener, changes)
  }

  private func tellListeners() {
    for listener in listeners.values { listener.yield() }
  }
}
