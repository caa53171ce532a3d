package import Bluetooth
import Synchronization

/// What waits for the pipeline, which takes all of it at once. For one consumer.
package final class EventBuffer: Sendable {
  private struct State {
    var events: [CentralEvent] = []
    /// The consumer need not wait for more.
    var isDue = false
    var isFinished = false
    var consumer: CheckedContinuation<[CentralEvent]?, Never>?

    /// - Returns: What the consumer gets; `.some(nil)` at the end, `nil` where it has to wait.
    mutating func take() -> [CentralEvent]?? {
      if isFinished && events.isEmpty { return .some(nil) }
      guard isDue || isFinished, !events.isEmpty else { return nil }
      isDue = false
      defer { events = [] }
      return events
    }

    /// Hands over to a consumer that waits, where there is something to hand over.
    mutating func handOver() -> (CheckedContinuation<[CentralEvent]?, Never>, [CentralEvent]?)? {
      guard let consumer, let taken = take() else { return nil }
      self.consumer = nil
      return (consumer, taken)
    }
  }

  /// So many are not kept waiting for more.
  private static let enough = 4096

  private let capacity: Int
  private let state = Mutex(State())

  package init(capacity: Int) { self.capacity = capacity }

  /// - Parameter isDue: The consumer is not to wait for more, neither with these nor with those before them.
  /// - Returns: Whether there was room; if not, none of them is kept.
  func append(_ events: [CentralEvent], isDue: Bool) -> Bool {
    change { state in
      guard !state.isFinished, state.events.count + events.count <= capacity else {
        state.isDue = true
        return false
      }
      state.events += events
      if isDue || state.events.count >= Self.enough { state.isDue = true }
      return true
    }
  }

  /// What waits is due. What comes after it is not.
  func release() { change { $0.isDue = !$0.events.isEmpty } }

  /// Nothing comes any more; what waits is still handed over.
  package func finish() { change { $0.isFinished = true } }

  /// All that waits, as soon as it is due; `nil` at the end, or when the task is cancelled.
  package func next() async -> [CentralEvent]? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let taken: [CentralEvent]?? = state.withLock { state in
          if Task.isCancelled { return .some(nil) }
          if let taken = state.take() { return taken }
          precondition(state.consumer == nil, "the events are for one consumer")
          state.consumer = continuation
          return nil
        }
        if let taken { continuation.resume(returning: taken) }
      }
    } onCancel: {
      state.withLock { state in
        defer { state.consumer = nil }
        return state.consumer
      }?.resume(returning: nil)
    }
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout sending State) -> Result) -> Result {
    let (result, waiting) = state.withLock { state in
      let result = body(&state)
      return (result, state.handOver())
    }
    if let (consumer, taken) = waiting { consumer.resume(returning: taken) }
    return result
  }
}
