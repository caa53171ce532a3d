public import Foundation
import Synchronization

/// Passed as the limit of a sample query to return all samples.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HKObjectQueryNoLimit = 0

/// A query whose results are passed to handlers. An instance can be executed once.
///
/// Handlers are called on a background queue of the query, one at a time. After `HKHealthStore.stop(_:)` no
/// new call begins, but a running one completes. A continuous query is kept alive until it is stopped.
// @unchecked: not final, but all state, including that of subclasses (all in this module), is `let`, Sendable
// or in a Mutex.
open class HKQuery: NSObject, @unchecked Sendable {
  private enum State {
    case new
    /// The query is running. The task is nil until it has been created.
    case running(Task<Void, Never>?)
    case over
  }

  public let objectType: HKObjectType?
  @available(*, deprecated, renamed: "objectType")
  public var sampleType: HKSampleType? { objectType as? HKSampleType }
  let translation: PredicateTranslation?
  private let state = Mutex(State.new)
  /// The queue on which handlers are called. Handlers may block, so they must not run on the few threads of
  /// Swift's concurrency runtime.
  private let queue = DispatchQueue(label: "HKQuery")

  /// An equivalent of the predicate passed to the initializer.
  public var predicate: NSPredicate? { translation?.predicate }

  init(_ type: HKObjectType?, _ translation: PredicateTranslation?) {
    objectType = type
    self.translation = translation
  }

  /// Runs the query. Overridden by each subclass.
  func run(in store: HKHealthStore) async {}

  /// Calls a handler on the queue and waits until it returns. Does nothing if the query has been stopped.
  func deliver(_ handler: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      queue.async {
        // Check on the queue: the query may have been stopped while this call was waiting.
        let isRunning = self.state.withLock { if case .running = $0 { true } else { false } }
        if isRunning { handler() }
        continuation.resume()
      }
    }
  }

  /// Traps if the query has been executed, because its handlers can no longer be changed.
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
    // Start an unstructured task, because this function is not async. `stop()` cancels it.
    let task = Task {
      await run(in: store)
      state.withLock { $0 = .over }
    }
    // If `stop()` was called before the task was stored, cancel the task here.
    state.withLock { if case .running = $0 { $0 = .running(task) } else { task.cancel() } }
  }

  /// Stops the query. Has no effect on a query that has not been executed; it can still be executed later.
  func stop() {
    state.withLock { state in
      guard case .running(let task) = state else { return }
      task?.cancel()
      state = .over
    }
  }
}

/// A sample type and a predicate, for queries that span several types.
public final class HKQueryDescriptor: NSObject, Sendable {
  public let sampleType: HKSampleType
  let translation: PredicateTranslation?

  public init(sampleType: HKSampleType, predicate: NSPredicate?) {
    self.sampleType = sampleType
    translation = predicate.map(PredicateTranslation.init)
  }

  /// An equivalent of the predicate passed to the initializer.
  public var predicate: NSPredicate? { translation?.predicate }
}
