import HealthKit

/// What the application knows: whether it may store, and how. It tells three things, on the main actor, and
/// nothing of terminals.
@MainActor final class HeartRateModel {
  /// Storing was enabled or disabled.
  var enabledChanged: (Bool) -> Void = { _ in }
  /// Something went wrong; the text is for the user.
  var errorMessageChanged: (String) -> Void = { _ in }
  /// A heart rate is in the store, in beats per minute.
  var heartRateStored: (Double) -> Void = { _ in }

  private let healthStore: HKHealthStore
  private let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

  init(healthStore: HKHealthStore) {
    self.healthStore = healthStore
  }

  /// Whether the user lets heart rates be stored; nil until they were asked.
  var enabled: Bool? {
    didSet {
      if let enabled, enabled != oldValue { enabledChanged(enabled) }
    }
  }

  /// The permission is not there, for a reason.
  func permissionsError(_ message: String) {
    enabled = false
    errorMessageChanged(message)
  }

  func storeHeartRate(_ quantity: HKQuantity) async {
    // 1.2 Hz and 4320 count/hr are heart rates as well. 72 kg are none, and a sample of them would be a
    // programmer's error.
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
      // The user has changed their mind while the application was running.
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
