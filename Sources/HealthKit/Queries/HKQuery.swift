public import Foundation
import Synchronization

/// A sample query's limit that is none.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKObjectQueryNoLimit = 0

/// A question to the store, answered through handlers. An instance runs once. It calls its handlers on a
/// background queue of its own, one after the other. After `HKHealthStore.stop(_:)` no call begins; one that
/// has begun goes on. A query that goes on lives until then.
// @unchecked: not final, but its state and that of its subclasses, all in this module, is `let`, Sendable or
// in a Mutex.
open class HKQuery: NSObject, @unchecked Sendable {
  private enum State {
    case new
    /// nil for the moment between the start and the task's being known.
    case running(Task<Void, Never>?)
    case over
  }

  public let objectType: HKObjectType?
  @available(*, deprecated, renamed: "objectType")
  public var sampleType: HKSampleType? { objectType as? HKSampleType }
  let translation: PredicateTranslation?
  private let state = Mutex(State.new)
  /// Of the handlers, which may block: the threads of tasks are few.
  private let queue = DispatchQueue(label: "HKQuery")

  /// An equivalent of the predicate given.
  public var predicate: NSPredicate? { translation?.predicate }

  init(_ type: HKObjectType?, _ translation: PredicateTranslation?) {
    objectType = type
    self.translation = translation
  }

  /// Answers the query; each kind has its own way.
  func run(in store: HKHealthStore) async {}

  /// Calls a handler, unless the query has been stopped by then, and returns when it has returned.
  func deliver(_ handler: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      queue.async {
        // At the last moment: whoever stopped it while this waited for its turn hears no more.
        let isRunning = self.state.withLock { if case .running = $0 { true } else { false } }
        if isRunning { handler() }
        continuation.resume()
      }
    }
  }

  /// Traps if the query was executed: what it is to do is settled then.
  func checkIsNew(_ property: String) {
    if case .new = state.withLock({ $0 }) { return }
    HKValidationError(.invalidArgument, "\(property) must be set before the query is executed").raise()
  }

  func start(in store: HKHealthStore) {
    state.withLock { state in
      guard case .new = state else {
        HKValidationError(.invalidArgument, "a query must not be executed twice").raise()
      }
      state = .running(nil)
    }
    // Handlers have no task to be a child of; `stop` cancels this one.
    let task = Task {
      await run(in: store)
      state.withLock { $0 = .over }
    }
    state.withLock { if case .running = $0 { $0 = .running(task) } else { task.cancel() } }
  }

  /// Nothing happens to a query that was not executed, which can be yet.
  func stop() {
    state.withLock { state in
      guard case .running(let task) = state else { return }
      task?.cancel()
      state = .over
    }
  }
}
