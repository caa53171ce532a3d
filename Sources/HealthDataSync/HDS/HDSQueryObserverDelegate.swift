public import Foundation

/// A delegate that controls an observer and receives its results.
public protocol HDSQueryObserverDelegate: AnyObject {
  /// Returns the maximum number of changes in a batch, or `nil` for 25. A round sends batches until there are
  /// no more changes.
  func batchSize(for observer: HDSQueryObserver) -> Int?

  /// Called before each round of sending changes.
  ///
  /// - Parameter completion: Must be called once, with `true` if the round may begin.
  @preconcurrency
  func shouldExecute(for observer: HDSQueryObserver, completion: @escaping @Sendable (Bool) -> Void)

  /// Called once after each round of sending changes that began.
  func didFinishExecution(for observer: HDSQueryObserver, error: (any Error)?)
}

extension HDSQueryObserverDelegate {
  public func batchSize(for observer: HDSQueryObserver) -> Int? { Constants.defaultBatchSize }

  @preconcurrency
  public func shouldExecute(
    for observer: HDSQueryObserver, completion: @escaping @Sendable (Bool) -> Void
  ) {
    completion(true)
  }

  public func didFinishExecution(for observer: HDSQueryObserver, error: (any Error)?) {}
}

/// The factory for the observers of synchronizers.
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

/// Constants of observers.
public struct Constants {
  /// The number of changes in a batch.
  public static let defaultBatchSize = 25
}

/// An error of a synchronization.
public enum HDSError: Error, Hashable {
  /// Health data is not available on this device.
  case unavailable
  /// No object types are specified.
  case noSpecifiedTypes
  case notSupported
  /// The delegate did not allow the synchronization.
  case operationCancelled
  /// Another external store of this class receives the same objects, and neither has an identity that
  /// distinguishes them between runs. This store receives nothing. (An addition to Microsoft's library.)
  case ambiguousExternalStore(String)
}

extension HDSError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .unavailable: "health data is not available"
    case .noSpecifiedTypes: "no types to synchronize were specified"
    case .notSupported: "this is not supported"
    case .operationCancelled: "the delegate canceled the synchronization"
    case .ambiguousExternalStore(let name):
      "another external store of the class \(name) was added before, and the next run could not tell the two apart: give each a storeIdentity, or add it with addObjectTypes(_:externalStore:named:)"
    }
  }
}
