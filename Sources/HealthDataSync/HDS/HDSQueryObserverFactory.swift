public import Foundation

/// Makes an observer for each synchroniser.
public class HDSQueryObserverFactory: NSObject {
  private let store: any HDSStoreProxyProtocol
  private let userDefaults: any HDSUserDefaultsProxyProtocol

  public init(store: any HDSStoreProxyProtocol, userDefaults: any HDSUserDefaultsProxyProtocol) {
    self.store = store
    self.userDefaults = userDefaults
  }

  func observer(with synchronizer: any HDSObjectSynchronizerProtocol) -> HDSQueryObserver {
    HDSQueryObserver(store: store, userDefaultsProxy: userDefaults, synchronizer: synchronizer)
  }
}
