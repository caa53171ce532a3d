import HealthKit

/// The model of the application: it checks the permission to store heart rates, and stores them. It calls
/// three closures on the main actor and does not depend on the terminal.
@MainActor final class HeartRateModel {
  /// Called when storing was enabled or disabled.
  var enabledChanged: (Bool) -> Void = { _ in }
  /// Called with an error message for the user.
  var errorMessageChanged: (String) -> Void = { _ in }
  /// Called with a stored heart rate in beats per minute.
  var heartRateStored: (Double) -> Void = { _ in }

  private let healthStore: HKHealthStore
  private let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

  init(healthStore: HKHealthStore) {
    self.healthStore = healthStore
  }

  /// Whether the user allows the application to store heart rates, or nil before the user has decided.
  var enabled: Bool? {
    didSet {
      if let enabled, enabled != oldValue { enabledChanged(enabled) }
    }
  }

  /// Disables storing and reports why permission is missing.
  func permissionsError(_ message: String) {
    enabled = false
    errorMessageChanged(message)
  }

  func storeHeartRate(_ quantity: HKQuantity) async {
    // 1.2 Hz and 4320 count/hr are heart rates. 72 kg is not, and creating a sample from it would trap.
    guard quantity.is(compatibleWith: beatsPerMinute) else {
      errorMessageChanged("Units must be compatible with BPM")
      return
    }
    let now = Date()
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: quantity, start: now, end: now,
      metadata: [HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue])
    do {
      try await healthStore.save(sample)
      heartRateStored(quantity.doubleValue(for: beatsPerMinute))
    } catch let error as HKError where error.isOfPermission {
      // The user revoked the permission while the application was running.
      permissionsError(error.localizedDescription)
    } catch {
      errorMessageChanged("Save failed: \(error.localizedDescription)")
    }
  }
}

extension HKError {
  fileprivate var isOfPermission: Bool {
    code == .errorAuthorizationDenied || code == .errorAuthorizationNotDetermined
  }
}
