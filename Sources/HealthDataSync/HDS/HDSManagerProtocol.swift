public import Foundation
public import HealthKit
import Synchronization

/// A manager of a program's observers.
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

  /// Asks the user for permission to read the types of some observers. The observers do not have to belong to
  /// this manager.
  @preconcurrency
  func requestPermissions(
    with observers: [HDSQueryObserver],
    _ completion: @escaping @Sendable (_ success: Bool, _ error: (any Error)?) -> Void)

  /// Adds an observer for each type. A type that is already sent to the same external store is not added
  /// again, but a type may be sent to several stores.
  ///
  /// External stores of the same class need names: use `addObjectTypes(_:externalStore:named:)`, or implement
  /// `storeIdentity`. Without names, only the first store receives objects, and the others report
  /// `HDSError.ambiguousExternalStore`.
  func addObjectTypes(
    _ objectTypes: [any HDSExternalObjectProtocol.Type], externalStore: any HDSExternalStoreProtocol)

  /// Adds an observer for each synchronizer that does not have one.
  func addSynchronizers(_ synchronizers: [any HDSObjectSynchronizerProtocol])

  func startObserving()

  /// Stops all observers and removes their anchors.
  func stopObserving()

  /// Finds the sources of each observer's type. The queries run concurrently.
  ///
  /// - Parameter completion: Called once on a background queue when every query has ended. The array of
  ///   errors is empty, not `nil`, if there were no errors.
  @preconcurrency
  func sources(
    for observers: [HDSQueryObserver],
    completion: @escaping @Sendable ([HDSQueryObserver: Set<HKSource>], [any Error]?) -> Void)
}

extension HDSManagerProtocol {
  /// Adds an observer for one type. The guide of Microsoft's health-data-sync library uses this form.
  public func addObjectTypes(
    _ objectType: any HDSExternalObjectProtocol.Type, externalStore: any HDSExternalStoreProtocol
  ) {
    addObjectTypes([objectType], externalStore: externalStore)
  }

  /// Adds observers for an external store with a name that distinguishes it from others of its class. Use the
  /// same name in each run of the program: progress is saved under it. Adding a name later makes everything
  /// be sent again. (An addition to Microsoft's library.)
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
  private static let shared = Mutex<UncheckedSendable<HDSManager?>>(UncheckedSendable(nil))

  /// Returns the program's only manager, which the first call creates. It uses the user's health store and
  /// also saves its anchors there.
  public static func manager() -> any HDSManagerProtocol {
    shared.withLock { shared in
      if let manager = shared.value { return manager }
      let manager = manager(of: HKHealthStore())
      shared = UncheckedSendable(manager)
      return manager
    }
  }

  /// Creates a manager for a specific store. (An addition to Microsoft's library.)
  public static func manager(of healthStore: HKHealthStore) -> HDSManager {
    let store = HDSStoreProxy(store: healthStore)
    let defaults = HDSHealthStoreDefaultsProxy(store: healthStore)
    return HDSManager(
      store: store, userDefaults: defaults, permissionsManager: HDSPermissionsManager(store: store),
      observerFactory: HDSQueryObserverFactory(store: store, userDefaults: defaults))
  }
}

/// Asks the user for HealthKit permissions on behalf of an ``HDSManager``.
open class HDSPermissionsManager {
  /// The types to read.
  public var readTypes = [HKObjectType]()
  /// The types to save.
  public var shareTypes = [HKSampleType]()
  private let store: any HDSStoreProxyProtocol

  public init(store: any HDSStoreProxyProtocol) {
    self.store = store
  }

  /// Requests permission for `readTypes` and `shareTypes`.
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
