import Channels
import DBus

/// A cache of bluetoothd's objects that is kept up to date, for code that waits for a change.
actor ObjectCache {
  private(set) var tree = ObjectTree()
  /// Whether the first snapshot has arrived, or bluetoothd is known to be absent.
  private var isInformed = false
  private var isDaemonPresent = false
  private var isConnected = true
  private var refusal: BlueZUnavailableError?
  private let updates = Broadcast<Void>(newestOnly: true)

  func apply(_ event: TreeEvent) {
    switch event {
    case .snapshot: isDaemonPresent = true
    case .daemonVanished: isDaemonPresent = false
    // Wait for the snapshot that follows this event.
    case .signalsLost: return
    case .interfacesAdded, .interfacesRemoved, .propertiesChanged: break
    }
    _ = tree.apply(event)
    isInformed = true
    updates.send()
  }

  func refuse(_ refusal: BlueZUnavailableError) {
    self.refusal = refusal
    updates.send()
  }

  func handleDisconnection() {
    isConnected = false
    updates.send()
  }

  /// Waits until `question` returns a value for the current tree.
  ///
  /// - Returns: That value; `nil` if `limit` passes without one.
  /// - Throws: ``BlueZUnavailableError`` if bluetoothd or the bus is lost; `CancellationError`.
  func wait<Answer: Sendable, Ticker: Clock>(
    upTo limit: Duration, clock: Ticker = ContinuousClock(),
    for question: @escaping @Sendable (ObjectTree) -> Answer?
  ) async throws -> Answer? where Ticker.Duration == Duration {
    let changes = updates.stream()
    return try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask {
        if let answer = try await self.ask(question) { return answer }
        for await _ in changes {
          if let answer = try await self.ask(question) { return answer }
        }
        throw CancellationError()
      }
      group.addTask {
        try await clock.sleep(until: clock.now.advanced(by: limit), tolerance: nil)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Waits until the current tree meets a condition.
  ///
  /// - Returns: Whether it did within `limit`.
  /// - Throws: As ``wait(upTo:clock:for:)``.
  func holds(
    within limit: Duration, _ condition: @escaping @Sendable (ObjectTree) -> Bool
  ) async throws -> Bool {
    try await wait(upTo: limit) { condition($0) ? true : nil } ?? false
  }

  /// Calls `look` with the tree four times a second, and once more at the end.
  func watch<Ticker: Clock>(
    for time: Duration, clock: Ticker = ContinuousClock(), _ look: @Sendable (ObjectTree) -> Void
  ) async throws where Ticker.Duration == Duration {
    let deadline = clock.now.advanced(by: time)
    while clock.now < deadline {
      _ = try ask { _ in () }
      look(tree)
      let next = min(clock.now.advanced(by: .milliseconds(250)), deadline)
      try await clock.sleep(until: next, tolerance: nil)
    }
    look(tree)
  }

  private func ask<Answer>(_ question: (ObjectTree) -> Answer?) throws -> Answer? {
    if let refusal { throw refusal }
    guard isConnected else { throw BlueZUnavailableError.busAbsent("the connection to it was lost") }
    guard isInformed else { return nil }
    guard isDaemonPresent else { throw BlueZUnavailableError.daemonAbsent }
    return question(tree)
  }
}
