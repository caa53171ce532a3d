public import Foundation
import HealthKit
import Synchronization

/// An observer that sends the changes of one type to an external store, in rounds.
///
/// A round sends batches until there are no more changes. The anchor is saved after each batch that the
/// external store accepts. If a batch fails, the next round resumes at the saved anchor. It starts at the
/// next change, or after a delay that grows with each error.
// @unchecked: its state is protected by a lock.
public class HDSQueryObserver: NSObject, @unchecked Sendable {
  private struct State {
    weak var delegate: (any HDSQueryObserverDelegate)?
    var predicate: NSPredicate?
    var isObserving = false
    var query: HKObserverQuery?
    /// Completion handlers of observer queries. They are called when the changes have been sent.
    var acknowledgements: [@Sendable () -> Void] = []
    /// Whether a round, which sends all pending changes, is scheduled but has not started. It will include
    /// all changes reported so far.
    var isRoundDue = false
    /// The last round of sending changes that was started or scheduled.
    var lastRound: Task<Void, Never>?
    var nextAttempt: Task<Void, Never>?
    var schedule = RetrySchedule(SyncPolicy())
    /// The error that all attempts report instead of sending anything, such as an ambiguous external store.
    var refusal: HDSError?
  }

  private let store: any HDSStoreProxyProtocol
  private let anchors: AnchorStore
  private let state = Mutex(UncheckedSendable(Box(State())))
  private let synchronizer: Mutex<UncheckedSendable<any HDSObjectSynchronizerProtocol>>

  public init(
    store: any HDSStoreProxyProtocol, userDefaultsProxy: any HDSUserDefaultsProxyProtocol,
    synchronizer: any HDSObjectSynchronizerProtocol
  ) {
    self.store = store
    anchors = AnchorStore(userDefaultsProxy, of: synchronizer)
    self.synchronizer = Mutex(UncheckedSendable(synchronizer))
  }

  public weak var delegate: (any HDSQueryObserverDelegate)? {
    get { access { UncheckedSendable($0.delegate) }.value }
    set {
      let handed = UncheckedSendable(newValue)
      access { $0.delegate = handed.value }
    }
  }

  public var converter: (any HDSConverterProtocol)? {
    get { current.converter }
    set {
      var changed = current
      changed.converter = newValue
      let handed = UncheckedSendable(changed)
      synchronizer.withLock { $0 = handed }
    }
  }

  /// A predicate that selects the objects to send, or `nil` for all. It is not saved between runs, and
  /// applies to queries that start after it is set.
  public var queryPredicate: NSPredicate? {
    get { access { UncheckedSendable($0.predicate) }.value }
    set {
      let handed = UncheckedSendable(newValue)
      access { $0.predicate = handed.value }
    }
  }

  public var isObserving: Bool { access(\.isObserving) }

  public var externalObjectType: any HDSExternalObjectProtocol.Type { current.externalObjectType }

  /// The time of the last batch that the external store accepted, or `nil` if there was none.
  public var lastSuccessfulExecutionDate: Date? { anchors.date }

  /// Whether the user has been asked for permission for all of the types.
  public var canStartObserving: Bool {
    guard let types = externalObjectType.authorizationTypes() else { return false }
    return types.allSatisfy { store.authorizationStatus(for: $0) != .notDetermined }
  }

  /// Makes all further attempts report this error instead of sending anything.
  func refuse(_ error: HDSError) { access { $0.refusal = error } }

  /// The name under which the anchor is saved.
  var anchorName: String { anchors.name }

  var current: any HDSObjectSynchronizerProtocol { synchronizer.withLock(\.self).value }

  private func access<Value>(_ body: (inout State) -> Value) -> Value {
    state.withLock { body(&$0.value.content) }
  }

  // MARK: - Observing

  /// Starts observing, and enables background delivery for the types.
  ///
  /// Does nothing if the user has not been asked for permission for the types. If the external store is
  /// ambiguous, the delegate receives the error.
  public func start() {
    if let refusal = access(\.refusal) {
      delegate?.didFinishExecution(for: self, error: refusal)
      return
    }
    guard store.isHealthDataAvailable(), canStartObserving,
      let type = externalObjectType.healthKitObjectType() as? HKSampleType
    else { return }
    let begins = access { state in
      defer { state.isObserving = true }
      return !state.isObserving
    }
    guard begins else { return }
    for type in externalObjectType.authorizationTypes() ?? [] {
      // If background delivery cannot be enabled, changes are still sent while the program runs.
      store.enableBackgroundDelivery(for: type, frequency: .immediate) { _, _ in }
    }
    observe(type)
  }

  private func observe(_ type: HKSampleType) {
    let query = HKObserverQuery(sampleType: type, predicate: queryPredicate) {
      [weak self] _, acknowledge, error in
      guard let self else { return acknowledge() }
      if let error {
        acknowledge()
        observationFailed(error, of: type)
      } else {
        scheduleRound(acknowledge)
      }
    }
    access { $0.query = query }
    store.execute(query)
  }

  /// Reports that the observer query ended with an error, and schedules a new one.
  private func observationFailed(_ error: any Error, of type: HKSampleType) {
    delegate?.didFinishExecution(for: self, error: error)
    attemptLater { $0.observe(type) }
  }

  /// Stops observing. After the current round, removes the anchor and the date, so that `start()` sends
  /// everything again. Does nothing while health data is unavailable.
  public func stop() {
    guard store.isHealthDataAvailable() else { return }
    let (query, isEnding) = access { state in
      defer {
        state.isObserving = false
        state.query = nil
        state.acknowledgements = []
        state.nextAttempt?.cancel()
        state.nextAttempt = nil
      }
      return (state.query, state.isObserving)
    }
    guard isEnding else { return }
    if let query { store.stop(query) }
    for type in externalObjectType.authorizationTypes() ?? [] {
      store.disableBackgroundDelivery(for: type) { _, _ in }
    }
    queryPredicate = nil
    inTurn { $0.anchors.clear() }
  }

  // MARK: - Rounds

  /// Sends all changes now, or after the current round if one is running.
  ///
  /// - Parameter completion: Called once on a background queue.
  @preconcurrency
  public func execute(
    completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void = { _, _ in }
  ) {
    inTurn { observer in
      do {
        try await observer.perform()
        completion(true, nil)
      } catch {
        completion(false, error)
      }
    }
  }

  /// Sends all changes now, like `execute(completion:)`. (An addition to Microsoft's library.)
  /// - Throws: The error that ended the round: `HKError`, or the error of the external store.
  public func synchronize() async throws {
    let error: (any Error)? = await answer { once in execute { once.call($1) } }
    if let error { throw error }
  }

  /// Runs work after all rounds of sending changes that are scheduled so far.
  private func inTurn(_ work: @escaping @Sendable (HDSQueryObserver) async -> Void) {
    access { state in
      let before = state.lastRound
      state.lastRound = Task {
        await before?.value
        await work(self)
      }
    }
  }

  /// Schedules a round of sending changes, because there may be some.
  private func scheduleRound(_ acknowledge: (@Sendable () -> Void)?) {
    let begins = access { state in
      if let acknowledge { state.acknowledgements.append(acknowledge) }
      defer { state.isRoundDue = true }
      return !state.isRoundDue
    }
    guard begins else { return }
    inTurn { await $0.performForObserver() }
  }

  private func performForObserver() async {
    let (acknowledgements, isObserving) = access { state in
      defer {
        state.isRoundDue = false
        state.acknowledgements = []
      }
      return (state.acknowledgements, state.isObserving)
    }
    guard isObserving else { return }
    do {
      try await perform()
      access { $0.schedule.succeeded() }
    } catch HDSError.operationCancelled {
      // The delegate canceled the round.
    } catch HDSError.ambiguousExternalStore {
      // Do not acknowledge the changes: only a change to the program can fix this error.
      return
    } catch {
      // The changes were not sent, so acknowledge them later.
      access { $0.acknowledgements = acknowledgements + $0.acknowledgements }
      return attemptLater { $0.scheduleRound(nil) }
    }
    for acknowledge in acknowledgements { acknowledge() }
  }

  private func attemptLater(_ attempt: @escaping @Sendable (HDSQueryObserver) -> Void) {
    access { state in
      guard state.isObserving else { return }
      var generator = SystemRandomNumberGenerator()
      let pause = state.schedule.pause(after: .passing, using: &generator)
      state.nextAttempt?.cancel()
      state.nextAttempt = Task { [weak self] in
        guard (try? await Task.sleep(for: pause)) != nil, let self, isObserving else { return }
        attempt(self)
      }
    }
  }

  /// Sends all changes.
  ///
  /// - Throws: `HDSError.noSpecifiedTypes`, `.operationCancelled`, `.ambiguousExternalStore`; the error of
  ///   the query or the external store.
  private func perform() async throws {
    guard let type = externalObjectType.healthKitObjectType() as? HKSampleType else {
      throw HDSError.noSpecifiedTypes
    }
    if let delegate {
      let mayBegin: Bool = await answer { once in delegate.shouldExecute(for: self) { once.call($0) } }
      guard mayBegin else { throw HDSError.operationCancelled }
    }
    do {
      while try await synchronizeBatch(of: type) {}
    } catch {
      delegate?.didFinishExecution(for: self, error: error)
      throw error
    }
    delegate?.didFinishExecution(for: self, error: nil)
  }

  /// Sends one batch of changes.
  ///
  /// - Returns: Whether there may be more changes.
  private func synchronizeBatch(of type: HKSampleType) async throws -> Bool {
    if let refusal = access(\.refusal) { throw refusal }
    let limit = max(1, delegate?.batchSize(for: self) ?? Constants.defaultBatchSize)
    let (added, deleted, anchor) = try await changes(of: type, limit)
    let error: (any Error)? = await answer { once in
      current.synchronize(objects: added, deletedObjects: deleted) { once.call($0) }
    }
    if let error { throw error }
    if let anchor, access(\.refusal) == nil { anchors.keep(anchor, at: Date()) }
    return added.count + deleted.count >= limit
  }

  private func changes(
    of type: HKSampleType, _ limit: Int
  ) async throws -> ([HKSample], [HKDeletedObject], HKQueryAnchor?) {
    let result: Result<([HKSample], [HKDeletedObject], HKQueryAnchor?), any Error> = await answer { once in
      store.execute(
        HKAnchoredObjectQuery(type: type, predicate: queryPredicate, anchor: anchors.anchor, limit: limit) {
          _, added, deleted, anchor, error in
          once.call(error.map { .failure($0) } ?? .success((added ?? [], deleted ?? [], anchor)))
        })
    }
    return try result.get()
  }
}

/// A mutable value in an object. It avoids copying the value when it is modified under a lock.
final class Box<Content> {
  var content: Content

  init(_ content: Content) {
    self.content = content
  }
}
