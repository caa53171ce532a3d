public import Foundation
public import HealthKit
import Synchronization

/// The one manager of a program.
public class HDSManagerFactory: NSObject {
  private static let shared = Mutex<Handed<HDSManager?>>(Handed(nil))

  /// Made at the first call, with this user's health store, which also keeps the anchors, and the same ever
  /// after.
  public static func manager() -> any HDSManagerProtocol {
    shared.withLock { shared in
      if let manager = shared.value { return manager }
      let manager = manager(of: HKHealthStore())
      shared = Handed(manager)
      return manager
    }
  }

  /// A manager of a store of the program's choice. (Not in the original library.)
  public static func manager(of healthStore: HKHealthStore) -> HDSManager {
    let store = HDSStoreProxy(store: healthStore)
    let defaults = HDSHealthStoreDefaultsProxy(store: healthStore)
    return HDSManager(
      store: store, userDefaults: defaults, permissionsManager: HDSPermissionsManager(store: store),
      observerFactory: HDSQueryObserverFactory(store: store, userDefaults: defaults))
  }
}
