import Synchronization

/// The events that one watcher has not read yet: so many are kept, then the oldest are dropped and counted.
final class EventQueue: Sendable {
  fileprivate struct State {
    var waiting: [TimedGatewayEvent] = []
    /// Those before it in `waiting` are read.
    var first = 0
    /// What was dropped before the first that waits: how many, and when the earliest of them was told.
    var missed: (count: Int, event: TimedGatewayEvent)?
    var isFinished = false
    var reader: CheckedContinuation<TimedGatewayEvent?, Never>?
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Never waits.
  func append(_ event: TimedGatewayEvent) {
    let reader = state.withLock { state -> CheckedContinuation<TimedGatewayEvent?, Never>? in
      guard !state.isFinished else { return nil }
      if let reader = state.reader.take() { return reader }
      if state.waiting.count - state.first >= capacity { state.drop() }
      state.waiting.append(event)
      return nil
    }
    reader?.resume(returning: event)
  }

  /// What waits can still be read.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// The next event, for one reader at a time.
  /// - Returns: `nil` when all is read and no more comes, or when the task is cancelled.
  func next() async -> TimedGatewayEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let next = state.withLock { state -> TimedGatewayEvent?? in
          if let event = state.take() { return event }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          state.reader = reader
          return nil
        }
        if let next { reader.resume(returning: next) }
      }
    } onCancel: {
      state.withLock { $0.reader.take() }?.resume(returning: nil)
    }
  }
}

extension EventQueue.State {
  /// The oldest is let go.
  fileprivate mutating func drop() {
    let oldest = waiting[first]
    first += 1
    missed = (count: (missed?.count ?? 0) + 1, event: missed?.event ?? oldest)
    compact()
  }

  fileprivate mutating func take() -> TimedGatewayEvent? {
    if let missed {
      self.missed = nil
      return TimedGatewayEvent(
        told: missed.event.told, person: missed.event.person, event: .missed(missed.count))
    }
    guard first < waiting.count else { return nil }
    defer {
      first += 1
      compact()
    }
    return waiting[first]
  }

  /// Moves what waits to the front once as much was read: a step for each event, on average.
  private mutating func compact() {
    guard first * 2 >= waiting.count else { return }
    waiting.removeFirst(first)
    first = 0
  }
}
