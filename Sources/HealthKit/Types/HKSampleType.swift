public import Foundation

/// The type of objects that have a beginning and an end.
// @unchecked: as for HKObjectType.
open class HKSampleType: HKObjectType, @unchecked Sendable {
  /// How long a sample of the type may last, in seconds.
  var durations: ClosedRange<TimeInterval> { 0...TimeInterval.infinity }

  /// Whether a sample may end in the distant future, which means that it is ongoing.
  package var isOpenEnded: Bool { false }

  /// The metadata key that samples of the type must have.
  var requiredMetadataKey: String? { nil }

  /// Whether programs may save samples of the type.
  package var isShareable: Bool { true }

  public var isMaximumDurationRestricted: Bool { durations.upperBound < .infinity }
  public var isMinimumDurationRestricted: Bool { durations.lowerBound > 0 }

  /// In seconds. Traps if the duration is not restricted.
  public var maximumAllowedDuration: TimeInterval {
    guard isMaximumDurationRestricted else { notRestricted("maximum") }
    return durations.upperBound
  }

  /// In seconds. Traps if the duration is not restricted.
  public var minimumAllowedDuration: TimeInterval {
    guard isMinimumDurationRestricted else { notRestricted("minimum") }
    return durations.lowerBound
  }

  /// Whether the system estimates the type's values in a way that can be calibrated anew.
  public var allowsRecalibrationForEstimates: Bool { identifier == Self.recalibrated }

  private static let recalibrated = "HKQuantityTypeIdentifierAppleWalkingSteadiness"

  private func notRestricted(_ bound: String) -> Never {
    HKValidationError(.invalidArgument, "the \(bound) duration of \(identifier) is not restricted").raise()
  }
}
