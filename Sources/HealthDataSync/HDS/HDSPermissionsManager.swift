public import HealthKit

/// Asks the user for permission.
open class HDSPermissionsManager {
  public var readTypes = [HKObjectType]()
  public var shareTypes = [HKSampleType]()
  private let store: any HDSStoreProxyProtocol

  public init(store: any HDSStoreProxyProtocol) {
    self.store = store
  }

  /// - Parameter completion: called once, with `HDSError.unavailable` or `.noSpecifiedTypes` where nobody can
  ///   be asked. Success means that the question was answered, not that anything was granted.
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
