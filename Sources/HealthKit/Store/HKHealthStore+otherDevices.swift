public import Foundation

// What needs a watch beside this device, or estimates that are made on it.

extension HKHealthStore {
  /// Fails here: there is no watch beside this device.
  /// - Throws: `HKError`, errorHealthDataUnavailable.
  public func startWatchApp(toHandle workoutConfiguration: HKWorkoutConfiguration) async throws {
    throw HKError(.errorHealthDataUnavailable, reason: "there is no watch beside this device")
  }

  /// As `startWatchApp(toHandle:)`; the handler runs on a background queue.
  @preconcurrency
  public func startWatchApp(
    with workoutConfiguration: HKWorkoutConfiguration,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      throw HKError(.errorHealthDataUnavailable, reason: "there is no watch beside this device")
    }
  }

  /// Has estimates recalculated from a date on. Nothing is estimated here, so this does nothing.
  ///
  /// Traps on a type that is not estimated, as Apple's raises an exception.
  public func recalibrateEstimates(sampleType: HKSampleType, date: Date) async throws {
    checkIsEstimated(sampleType)
  }

  /// As `recalibrateEstimates(sampleType:date:)`; the handler runs on a background queue.
  @preconcurrency
  public func recalibrateEstimates(
    sampleType: HKSampleType, date: Date, completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    checkIsEstimated(sampleType)
    report(to: completion) {}
  }

  private func checkIsEstimated(_ type: HKSampleType) {
    guard type.allowsRecalibrationForEstimates else {
      HKValidationError(.invalidArgument, "\(type) does not allow recalibration for estimates").raise()
    }
  }
}
