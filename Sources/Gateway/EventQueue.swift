import Synchronization

/// The pending elements of one reader. When it is full, it drops the oldest ones and counts them.
final class EventQueue<Element: Sendable>: Sendable {
  fileprivate struct State {
    var waiting: [Element] = []
    /// The index in `waiting` of the next element to read.
    var first = 0
    /// The number of elements that were dropped since the last read, and the oldest of them.
    var missed: (count: Int, first: Element)?
    var isFinished = false
    var reader: CheckedContinuation<Element?, Never>?
  }

  private let capacity: Int
  private let missed: @Sendable (Int, Element) -> Element
  private let state = Mutex(State())

  /// - Parameters:
  ///   - capacity: Maximum number of pending elements.
  ///   - missed: Returns the element that reports dropped ones, from their number and the oldest of them.
  init(capacity: Int, missed: @escaping @Sendable (Int, Element) -> Element) {
    self.capacity = max(1, capacity)
    self.missed = missed
  }

  /// Never waits.
  func append(_ event: Element) {
    let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isFinished else { return nil }
      if let reader = state.reader.take() { return reader }
      if state.waiting.count - state.first >= capacity { state.drop() }
      state.waiting.append(event)
      return nil
    }
    reader?.resume(returning: event)
  }

  /// Ends the queue after its pending elements.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// Returns the next element. Only one reader may wait at a time.
  /// - Returns: `nil` at the end of the queue, or if the task is cancelled.
  func next() async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let next = state.withLock { state -> Element?? in
          if let missed = state.missed.take() { return self.missed(missed.count, missed.first) }
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
  /// Drops the oldest element.
  fileprivate mutating func drop() {
    let oldest = waiting[first]
    first += 1
    missed = (count: (missed?.count ?? 0) + 1, first: missed?.first ?? oldest)
    compact()
  }

  fileprivate mutating func take() -> Element? {
    guard first < waiting.count else { return nil }
    defer {
      first += 1
      compact()
    }
    return waiting[first]
  }

  /// Removes the elements that were read, once they are half of the array: constant time per element.
  private mutating func compact() {
    guard first * 2 >= waiting.count else { return }
    waiting.removeFirst(first)
    first = 0
  }
}
