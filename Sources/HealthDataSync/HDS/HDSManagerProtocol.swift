public import Foundation
public import HealthKit
import Synchronization

/// The manager of a program's observers.
public protocol HDSManagerProtocol {
  /// The observers in the order in which they were added.
  var allObservers: [HDSQueryObserver] { get }
  /// The delegate of all observers.
  var observerDelegate: (any HDSQueryObserverDelegate)? { get set }
  /// The converter of all observers.
  var converter: (any HDSConverterProtocol)? { get set }

  /// Asks the user for permission to read the types of all observers.
  @preconcurrency
  func requestPermissionsForAllObservers(
    completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void)

  /// Asks the user for permission to read the types of some observers, which need not belong to this manager.
  @preconcurrency
  func requestPermissions(
    with observers: [HDSQueryObserver],
    _ completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void)

  /// Adds an observer for each type. A type that already goes to the same external store is not added again,
  /// but a type may go to several stores.
  ///
  /// Several stores of one class need names: use `addObjectTypes(_:externalStore:named:)`, or implement
  /// `storeIdentity`. Without names the first store is served and the later ones receive nothing
  /// (`HDSError.ambiguousExternalStore`).
  func addObjectTypes(
    _ objectTypes: [any HDSExternalObjectProtocol.Type], externalStore: any HDSExternalStoreProtocol)

  /// Adds an observer for each synchronizer that does not have one.
  func addSynchronizers(_ synchronizers: [any HDSObjectSynchronizerProtocol])

  func startObserving()

  /// Stops all observers and removes their anchors.
  func stopObserving()

  /// Finds the sources of each observer's type. All types are queried at once.
  ///
  /// - Parameter completion: Called once on a background queue after every query has returned. The array of
  ///   errors is empty if there were none, but never `nil`.
  @preconcurrency
  func sources(
    for observers: [HDSQueryObserver],
    completion: @escaping @Sendable ([HDSQueryObserver: Set<HKSource>], [any Error]?) -> Void)
}

extension HDSManagerProtocol {
  /// Adds an observer for one type, as in the original library's guide.
  public func addObjectTypes(
    _ objectType: any HDSExternalObjectProtocol.Type, externalStore: any HDSExternalStoreProtocol
  ) {
    addObjectTypes([objectType], externalStore: externalStore)
  }

  /// Adds observers under a name that distinguishes the external store from others of its class, independent
  /// of their order. Use the same name in each run of the program. A store that is named later starts from
  /// the beginning. (Not in the original library.)
  public func addObjectTypes(
    _ objectTypes: [any HDSExternalObjectProtocol.Type], externalStore: any HDSExternalStoreProtocol,
    named name: String
  ) {
    addObjectTypes(
      objectTypes, externalStore: HDSNamedExternalStore(store: externalStore, storeIdentity: name))
  }
}

/// The factory for the manager of a program.
public class HDSManagerFactory: NSObject {
  private static let shared = Mutex<Handed<HDSManager?>>(Handed(nil))

  /// Returns the program's only manager. The first call creates it with the user's health store, which also
  /// keeps the anchors.
  public static func manager() -> any HDSManagerProtocol {
    shared.withLock { shared in
      if let manager = shared.value { return manager }
      let manager = manager(of: HKHealthStore())
      shared = Handed(manager)
      return manager
    }
  }

  /// Creates a manager for a specific store. (Not in the original library.)
  public static func manager(of healthStore: HKHealthStore) -> HDSManager {
    let store = HDSStoreProxy(store: healthStore)
    let defaults = HDSHealthStoreDefaultsProxy(store: healthStore)
    return HDSManager(
      store: store, userDefaults: defaults, permissionsManager: HDSPermissionsManager(store: store),
      observerFactory: HDSQueryObserverFactory(store: store, userDefaults: defaults))
  }
}

/// The part of the manager that asks the user for permission.
open class HDSPermissionsManager {
  /// The types to read.
  public var readTypes = [HKObjectType]()
  /// The types to save.
  public var shareTypes = [HKSampleType]()
  private let store: any HDSStoreProxyProtocol

  public init(store: any HDSStoreProxyProtocol) {
    self.store = store
  }

  /// Asks for the types in `readTypes` and `shareTypes`.
  ///
  /// - Parameter completion: Called once. The error is `HDSError.unavailable` or `.noSpecifiedTypes` if the
  ///   user cannot be asked. Success means that the user responded, not that permission was granted.
  @preconcurrency
  open func authorizeHealthKit(
    _ completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void
  ) {
    guard store.isHealthDataAvailable() else { return completion(false, HDSError.unavailable) }
    guard !readTypes.isEmpty || !shareTypes.isEmpty else {
      return completion(false, HDSError.noSpecifiedTypes)
    }
    let once = Once(completion)
    store.requestAuthorization(toShare: Set(shareTypes), read: Set(readTypes)) { once.call(($0, $1)) }
  }
}
