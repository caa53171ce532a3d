public import Foundation
public import HealthKit
import Synchronization

/// Manages a program's observers. It can be used from any thread.
// @unchecked: the class is open like the original. Its state is behind a lock.
open class HDSManager: NSObject, HDSManagerProtocol, @unchecked Sendable {
  private struct State {
    var observers: [HDSQueryObserver] = []
    var delegate: (any HDSQueryObserverDelegate)?
    var converter: (any HDSConverterProtocol)?
  }

  private let state = Mutex(UncheckedSendable(Box(State())))
  private let store: any HDSStoreProxyProtocol
  private let permissionsManager: HDSPermissionsManager
  private let observerFactory: HDSQueryObserverFactory
  /// Protects the permissions manager while its types are set and it is called. The lock is recursive,
  /// because the completion handler may request permissions again.
  private let asking = NSRecursiveLock()

  /// Creates a manager.
  ///
  /// - Parameter userDefaults: Not used: the observers that the factory creates have their own.
  public init(
    store: any HDSStoreProxyProtocol, userDefaults: any HDSUserDefaultsProxyProtocol,
    permissionsManager: HDSPermissionsManager, observerFactory: HDSQueryObserverFactory
  ) {
    self.store = store
    self.permissionsManager = permissionsManager
    self.observerFactory = observerFactory
  }

  private func access<Value>(_ body: (inout State) -> Value) -> Value {
    state.withLock { body(&$0.value.content) }
  }

  open var observerDelegate: (any HDSQueryObserverDelegate)? {
    get { access { UncheckedSendable($0.delegate) }.value }
    set {
      let handed = UncheckedSendable(newValue)
      access { state in
        state.delegate = handed.value
        for observer in state.observers { observer.delegate = handed.value }
      }
    }
  }

  open var converter: (any HDSConverterProtocol)? {
    get { access { UncheckedSendable($0.converter) }.value }
    set {
      let handed = UncheckedSendable(newValue)
      access { state in
        state.converter = handed.value
        for observer in state.observers { observer.converter = handed.value }
      }
    }
  }

  public var allObservers: [HDSQueryObserver] { access(\.observers) }

  // MARK: - Permissions

  @preconcurrency
  open func requestPermissionsForAllObservers(
    completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
  ) {
    requestPermissions(with: allObservers, completion)
  }

  @preconcurrency
  open func requestPermissions(
    with observers: [HDSQueryObserver],
    _ completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
  ) {
    let types = observers.flatMap { $0.externalObjectType.authorizationTypes() ?? [] }
    asking.withLock {
      permissionsManager.readTypes = Array(Set(types))
      permissionsManager.authorizeHealthKit(completion)
    }
  }

  // MARK: - Observers

  open func addObjectTypes(
    _ objectTypes: [any HDSExternalObjectProtocol.Type], externalStore: any HDSExternalStoreProtocol
  ) {
    addSynchronizers(
      objectTypes.map {
        HDSObjectSynchronizer(externalObjectType: $0, store: store, externalStore: externalStore)
      })
  }

  open func addSynchronizers(_ synchronizers: [any HDSObjectSynchronizerProtocol]) {
    let handed = UncheckedSendable(synchronizers)
    access { state in
      for synchronizer in handed.value
      where !state.observers.contains(where: { Self.goToOne($0.current, synchronizer) }) {
        let observer = observerFactory.observer(with: synchronizer)
        observer.delegate = state.delegate
        if let converter = state.converter { observer.converter = converter }
        Self.refuseAmbiguous(observer, among: state.observers)
        state.observers.append(observer)
      }
    }
  }

  /// Returns whether two synchronizers send the same type to the same external store.
  private static func goToOne(
    _ one: any HDSObjectSynchronizerProtocol, _ other: any HDSObjectSynchronizerProtocol
  ) -> Bool {
    one.externalObjectType == other.externalObjectType
      && ExternalStoreKey(of: one).isSame(as: ExternalStoreKey(of: other))
  }

  /// Makes an observer report an error if an earlier observer saves its anchor under the same name. With a
  /// shared anchor, the observer would skip all changes that the earlier one has sent.
  private static func refuseAmbiguous(_ observer: HDSQueryObserver, among others: [HDSQueryObserver]) {
    guard others.contains(where: { $0.anchorName == observer.anchorName }) else { return }
    observer.refuse(.ambiguousExternalStore(ExternalStoreKey(of: observer.current).className))
  }

  open func startObserving() {
    for observer in allObservers { observer.start() }
  }

  open func stopObserving() {
    for observer in allObservers { observer.stop() }
  }

  // MARK: - Sources

  @preconcurrency
  open func sources(
    for observers: [HDSQueryObserver],
    completion: @escaping @Sendable ([HDSQueryObserver: Set<HKSource>], [any Error]?) -> Void
  ) {
    let (found, group) = (FoundSources(), DispatchGroup())
    for observer in observers {
      guard let type = observer.externalObjectType.healthKitObjectType() as? HKSampleType else { continue }
      group.enter()
      let answered = Once { (answer: (sources: Set<HKSource>?, error: (any Error)?)) in
        found.add(answer.sources, answer.error, of: observer)
        group.leave()
      }
      store.execute(HKSourceQuery(sampleType: type, samplePredicate: nil) { answered.call(($1, $2)) })
    }
    group.notify(queue: .global()) {
      let (sources, errors) = found.all
      completion(sources, errors)
    }
  }
}

/// Collects the results of several source queries.
private final class FoundSources: Sendable {
  private struct Found {
    var sources: [HDSQueryObserver: Set<HKSource>] = [:]
    var errors: [any Error] = []
  }

  private let found = Mutex(UncheckedSendable(Box(Found())))

  func add(_ sources: Set<HKSource>?, _ error: (any Error)?, of observer: HDSQueryObserver) {
    let handed = UncheckedSendable((sources, error))
    found.withLock { found in
      if let error = handed.value.1 {
        found.value.content.errors.append(error)
      } else {
        found.value.content.sources[observer] = handed.value.0
      }
    }
  }

  var all: (sources: [HDSQueryObserver: Set<HKSource>], errors: [any Error]) {
    let all = found.withLock { UncheckedSendable($0.value.content) }.value
    return (all.sources, all.errors)
  }
}
