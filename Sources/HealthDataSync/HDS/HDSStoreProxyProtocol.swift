public import HealthKit

/// What is used of `HKHealthStore`, so that a test can stand in for it.
public protocol HDSStoreProxyProtocol {
  func isHealthDataAvailable() -> Bool
  /// notDetermined as long as the user was not asked, be it for reading or for saving.
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
