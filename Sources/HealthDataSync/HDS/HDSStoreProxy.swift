public import HealthKit

/// Forwards calls to a health store. Tests can replace it.
public class HDSStoreProxy: HDSStoreProxyProtocol {
  private let store: HKHealthStore

  public init(store: HKHealthStore) {
    self.store = store
  }

  public func isHealthDataAvailable() -> Bool { HKHealthStore.isHealthDataAvailable() }

  public func authorizationStatus(for type: HKObjectType) -> HKAuthorizationStatus {
    let status = store.authorizationStatus(for: type)
    // HealthKit's status is only about saving. If the user was asked about reading, return a determined
    // status.
    return status == .notDetermined && store.isDecided(type) ? .sharingDenied : status
  }

  @preconcurrency
  public func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    store.requestAuthorization(toShare: typesToShare, read: typesToRead, completion: completion)
  }

  public func execute(_ query: HKQuery) { store.execute(query) }

  public func stop(_ query: HKQuery) { store.stop(query) }

  @preconcurrency
  public func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency,
    withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    store.enableBackgroundDelivery(for: type, frequency: frequency, withCompletion: completion)
  }

  @preconcurrency
  public func disableBackgroundDelivery(
    for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    store.disableBackgroundDelivery(for: type, withCompletion: completion)
  }

  @preconcurrency
  public func disableAllBackgroundDelivery(completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
    store.disableAllBackgroundDelivery(completion: completion)
  }

  @preconcurrency
  public func preferredUnits(
    for quantityTypes: Set<HKQuantityType>,
    completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void
  ) {
    store.preferredUnits(for: quantityTypes, completion: completion)
  }
}

/// The functions of `HKHealthStore` that observers and synchronizers use. Tests have their own
/// implementation.
public protocol HDSStoreProxyProtocol {
  func isHealthDataAvailable() -> Bool
  /// Returns notDetermined until the user has been asked about reading or saving the type.
  func authorizationStatus(for type: HKObjectType) -> HKAuthorizationStatus
  @preconcurrency
  func requestAuthorization(
    toShare typesToShare: Set<HKSampleType>?, read typesToRead: Set<HKObjectType>?,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void)
  func execute(_ query: HKQuery)
  func stop(_ query: HKQuery)
  @preconcurrency
  func enableBackgroundDelivery(
    for type: HKObjectType, frequency: HKUpdateFrequency,
    withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void)
  @preconcurrency
  func disableBackgroundDelivery(
    for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void)
  @preconcurrency
  func disableAllBackgroundDelivery(completion: @escaping @Sendable (Bool, (any Error)?) -> Void)
  @preconcurrency
  func preferredUnits(
    for quantityTypes: Set<HKQuantityType>,
    completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void)
}
