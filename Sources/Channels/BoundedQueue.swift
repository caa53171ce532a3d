import Synchronization

/// A queue of limited size for one reader. When it is full, the oldest element is dropped and counted,
/// because the newest elements describe the current state.
package final class BoundedQueue<Element: Sendable>: Sendable {
  private struct State {
    var pending: BoundedBuffer<Element>
    /// The oldest element dropped since the last read.
    var firstMissed: Element?
    var isFinished = false
    var reader: CheckedContinuation<Element?, Never>?
  }

  private let missed: (@Sendable (Int, Element) -> Element)?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - capacity: Maximum number of pending elements.
  ///   - missed: Creates an element that reports dropped elements, given their number and the oldest of them;
  ///     `nil` to not report them.
  package init(capacity: Int, missed: (@Sendable (Int, Element) -> Element)? = nil) {
    self.missed = missed
    state = Mutex(State(pending: BoundedBuffer(capacity: capacity)))
  }

  /// Appends an element without waiting.
  package func append(_ element: Element) {
    let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isFinished else { return nil }
      if let reader = state.reader.take() { return reader }
      let dropped = state.pending.append(element)
      state.firstMissed = state.firstMissed ?? dropped
      return nil
    }
    reader?.resume(returning: element)
  }

  /// Ends the queue. Pending elements can still be read.
  package func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// Returns the next element. Only one reader may wait at a time.
  /// - Returns: `nil` at the end of the queue, or if the task is canceled.
  package func next() async -> Element? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader in
        let next = state.withLock { state -> Element?? in
          if let element = take(&state) { return element }
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

  private func take(_ state: inout State) -> Element? {
    while let next = state.pending.next() {
      switch next {
      case .element(let element): return element
      case .missing(let count):
        if let first = state.firstMissed.take(), let missed { return missed(count, first) }
      }
    }
    return nil
  }
}

/// A buffer of limited size. When it is full, the oldest element is dropped, and the reader gets the number
/// of dropped elements instead.
package struct BoundedBuffer<Element: Sendable>: Sendable {
  package enum Next: Sendable {
    case element(Element)
    /// The number of elements dropped at this position.
    case missing(Int)
  }

  private let capacity: Int
  private var elements: [Element] = []
  /// The index in `elements` of the oldest unread element.
  private var first = 0
  private var missing = 0

  package init(capacity: Int) { self.capacity = max(1, capacity) }

  /// The number of unread elements, including dropped ones.
  package var count: Int { elements.count - first + missing }

  /// Appends an element.
  ///
  /// - Returns: The oldest element, if it was dropped because the buffer is full.
  @discardableResult
  package mutating func append(_ element: Element) -> Element? {
    let dropped = elements.count - first < capacity ? nil : popFirst()
    if dropped != nil { missing += 1 }
    elements.append(element)
    return dropped
  }

  package mutating func next() -> Next? {
    if missing > 0 {
      defer { missing = 0 }
      return .missing(missing)
    }
    return popFirst().map { .element($0) }
  }

  /// Counts elements as dropped even though they were read, because the reader could not use them.
  package mutating func lose(_ count: Int) { missing += count }

  /// Drops the oldest element.
  /// - Returns: Whether there was one.
  package mutating func loseNext() -> Bool {
    guard popFirst() != nil else { return false }
    missing += 1
    return true
  }

  private mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first]
    first += 1
    // Remove read elements only when they make up half of the array, so that the cost per element is
    // constant.
    if first * 2 >= elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }
}
