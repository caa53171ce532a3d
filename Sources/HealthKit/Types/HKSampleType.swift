public import Foundation

/// The type of objects with a start and an end.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
open class HKSampleType: HKObjectType, @unchecked Sendable {
  /// The allowed durations of a sample in seconds.
  var durations: ClosedRange<TimeInterval> { 0...TimeInterval.infinity }

  /// Whether a sample may be ongoing, with an end in the distant future.
  package var isOpenEnded: Bool { false }

  /// The metadata key that samples of the type must have, if any.
  var requiredMetadataKey: String? { nil }

  /// Whether programs may save samples of the type.
  package var isShareable: Bool { true }

  public var isMaximumDurationRestricted: Bool { durations.upperBound < .infinity }
  public var isMinimumDurationRestricted: Bool { durations.lowerBound > 0 }

  /// The maximum duration in seconds. Traps if the duration is not restricted.
  public var maximumAllowedDuration: TimeInterval {
    guard isMaximumDurationRestricted else { notRestricted("maximum") }
    return durations.upperBound
  }

  /// The minimum duration in seconds. Traps if the duration is not restricted.
  public var minimumAllowedDuration: TimeInterval {
    guard isMinimumDurationRestricted else { notRestricted("minimum") }
    return durations.lowerBound
  }

  /// Whether values of the type are estimates that can be recalibrated.
  public var allowsRecalibrationForEstimates: Bool { identifier == Self.recalibrated }

  private static let recalibrated = "HKQuantityTypeIdentifierAppleWalkingSteadiness"

  private func notRestricted(_ bound: String) -> Never {
    HKValidationError(.invalidArgument, "the \(bound) duration of \(identifier) is not restricted").raise()
  }
}
