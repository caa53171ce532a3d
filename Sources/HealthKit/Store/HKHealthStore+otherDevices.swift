public import Foundation

// Functions that need a paired watch, or estimates that are computed on a watch.

extension HKHealthStore {
  /// Always fails: there is no paired watch.
  /// - Throws: `HKError` errorHealthDataUnavailable.
  public func startWatchApp(toHandle workoutConfiguration: HKWorkoutConfiguration) async throws {
    throw HKError(.errorHealthDataUnavailable, reason: "there is no paired watch")
  }

  /// Completion-handler version of `startWatchApp(toHandle:)`. The handler runs on a background queue.
  @preconcurrency
  public func startWatchApp(
    with workoutConfiguration: HKWorkoutConfiguration,
    completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    report(to: completion) {
      throw HKError(.errorHealthDataUnavailable, reason: "there is no paired watch")
    }
  }

  /// Does nothing, because this framework computes no estimates.
  ///
  /// Traps on a type that is not estimated (Apple's method raises an exception).
  public func recalibrateEstimates(sampleType: HKSampleType, date: Date) async throws {
    checkIsEstimated(sampleType)
  }

  /// Completion-handler version of `recalibrateEstimates(sampleType:date:)`. The handler runs on a background
  /// queue.
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
