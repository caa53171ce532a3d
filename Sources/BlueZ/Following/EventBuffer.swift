package import Bluetooth
import Synchronization

/// The pending events for one consumer, which takes all of them at once.
package final class EventBuffer: Sendable {
  private struct State {
    var events: [CentralEvent] = []
    /// Whether the consumer gets the pending events without waiting for more.
    var isDue = false
    var isFinished = false
    var consumer: CheckedContinuation<[CentralEvent]?, Never>?

    /// - Returns: The events for the consumer; `.some(nil)` after the last event; `nil` if the consumer has
    ///   to wait.
    mutating func take() -> [CentralEvent]?? {
      if isFinished && events.isEmpty { return .some(nil) }
      guard isDue || isFinished, !events.isEmpty else { return nil }
      isDue = false
      defer { events = [] }
      return events
    }

    /// Returns the waiting consumer and its events; `nil` if no consumer is waiting or no events are due.
    mutating func handOver() -> (CheckedContinuation<[CentralEvent]?, Never>, [CentralEvent]?)? {
      guard let consumer, let taken = take() else { return nil }
      self.consumer = nil
      return (consumer, taken)
    }
  }

  /// Number of pending events at which the consumer gets them without waiting for more.
  private static let enough = 4096

  private let capacity: Int
  private let state = Mutex(State())

  package init(capacity: Int) { self.capacity = capacity }

  /// - Parameter isDue: Whether the consumer gets these and all earlier events without waiting for more.
  /// - Returns: Whether there was room. If there was not, none of the events is kept.
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

  /// Delivers the pending events without waiting for more.
  func release() { change { $0.isDue = !$0.events.isEmpty } }

  /// Ends the sequence. Pending events are still delivered.
  package func finish() { change { $0.isFinished = true } }

  /// Returns all pending events as soon as they are due; `nil` at the end or when the task is canceled.
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
