import Foundation
import HealthStorage

/// A property that samples can be sorted by.
enum SampleSortKey: Hashable, Sendable {
  case start
  case end
  case workout(WorkoutFigure)

  /// The properties of workouts for which Apple defines sort identifiers.
  enum WorkoutFigure: Hashable, Sendable {
    case duration, distance, energyBurned, swimmingStrokeCount, flightsClimbed
  }
}

// MARK: - Names and key paths

extension SampleSortKey {
  /// Creates the key with a name, or returns nil if there is no such key.
  /// - Parameter name: One of Apple's sort identifiers, or the name of the corresponding property.
  init?(name: String) {
    switch name {
    case HKSampleSortIdentifierStartDate, HKPredicateKeyPathStartDate: self = .start
    case HKSampleSortIdentifierEndDate, HKPredicateKeyPathEndDate: self = .end
    case HKWorkoutSortIdentifierDuration, HKPredicateKeyPathWorkoutDuration: self = .workout(.duration)
    case HKWorkoutSortIdentifierTotalDistance, HKPredicateKeyPathWorkoutTotalDistance:
      self = .workout(.distance)
    case HKWorkoutSortIdentifierTotalEnergyBurned, HKPredicateKeyPathWorkoutTotalEnergyBurned:
      self = .workout(.energyBurned)
    case HKWorkoutSortIdentifierTotalSwimmingStrokeCount, HKPredicateKeyPathWorkoutTotalSwimmingStrokeCount:
      self = .workout(.swimmingStrokeCount)
    case HKWorkoutSortIdentifierTotalFlightsClimbed, HKPredicateKeyPathWorkoutTotalFlightsClimbed:
      self = .workout(.flightsClimbed)
    default: return nil
    }
  }

  init?(_ keyPath: AnyKeyPath) {
    switch keyPath {
    case \HKWorkout.duration: self = .workout(.duration)
    case \HKWorkout.totalDistance: self = .workout(.distance)
    case \HKWorkout.totalEnergyBurned: self = .workout(.energyBurned)
    case \HKWorkout.totalSwimmingStrokeCount: self = .workout(.swimmingStrokeCount)
    case \HKWorkout.totalFlightsClimbed: self = .workout(.flightsClimbed)
    default:
      guard let isStart = Self.isStart(keyPath) else { return nil }
      self = isStart ? .start : .end
    }
  }

  /// Returns true for the key path of the start date, false for that of the end date, and nil for any other.
  /// Each sample class has its own key paths for these properties.
  private static func isStart(_ keyPath: AnyKeyPath) -> Bool? {
    for dates in allDates {
      if keyPath == dates.start { return true }
      if keyPath == dates.end { return false }
    }
    return nil
  }

  private static func dates<Sample: HKSample>(_: Sample.Type) -> (start: AnyKeyPath, end: AnyKeyPath) {
    (\Sample.startDate, \Sample.endDate)
  }

  private static var allDates: [(start: AnyKeyPath, end: AnyKeyPath)] {
    [
      dates(HKSample.self),
      dates(HKQuantitySample.self),
      dates(HKCumulativeQuantitySample.self),
      dates(HKDiscreteQuantitySample.self),
      dates(HKCategorySample.self),
      dates(HKCorrelation.self),
      dates(HKWorkout.self),
      dates(HKSeriesSample.self),
      dates(HKHeartbeatSeriesSample.self),
      dates(HKWorkoutRoute.self),
      dates(HKElectrocardiogram.self),
      dates(HKAudiogramSample.self),
      dates(HKDocumentSample.self),
      dates(HKCDADocumentSample.self),
      dates(HKClinicalRecord.self),
      dates(HKVerifiableClinicalRecord.self),
      dates(HKVisionPrescription.self),
      dates(HKGlassesPrescription.self),
      dates(HKContactsPrescription.self),
      dates(HKStateOfMind.self),
      dates(HKMedicationDoseEvent.self),
      dates(HKScoredAssessment.self),
      dates(HKGAD7Assessment.self),
      dates(HKPHQ9Assessment.self),
    ]
  }
}

// MARK: - Comparing

extension SampleSortKey {
  /// Compares two samples. Samples without the property sort before samples with it.
  func compare(_ first: HKSample, _ second: HKSample) -> ComparisonResult {
    switch self {
    case .start: first.startDate.compare(second.startDate)
    case .end: first.endDate.compare(second.endDate)
    case .workout(let figure): figure.compare(first as? HKWorkout, second as? HKWorkout)
    }
  }
}

extension SampleSortKey.WorkoutFigure {
  fileprivate func compare(_ first: HKWorkout?, _ second: HKWorkout?) -> ComparisonResult {
    switch (value(of: first), value(of: second)) {
    case (let first?, let second?): first.compare(second)
    case (nil, nil): .orderedSame
    case (nil, _?): .orderedAscending
    case (_?, nil): .orderedDescending
    }
  }

  private func value(of workout: HKWorkout?) -> HKQuantity? {
    guard let workout else { return nil }
    return switch self {
    case .duration: HKQuantity(unit: .second(), doubleValue: workout.duration)
    case .distance: workout.totalDistance
    case .energyBurned: workout.totalEnergyBurned
    case .swimmingStrokeCount: workout.totalSwimmingStrokeCount
    case .flightsClimbed: workout.totalFlightsClimbed
    }
  }
}
