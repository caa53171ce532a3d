public import Foundation
import HealthStorage

/// A sample type with a predicate on its samples, for use in query descriptors.
public struct HKSamplePredicate<Sample: HKSample>: Equatable, Hashable, Sendable {
  /// The type of the samples.
  public let sampleType: HKSampleType
  let translation: PredicateTranslation?

  /// A predicate that is equivalent to the original, which is not kept because `NSPredicate` is not Sendable.
  public var nsPredicate: NSPredicate? { translation?.predicate }

  init(_ type: HKSampleType, _ predicate: NSPredicate?) {
    sampleType = type
    translation = predicate.map(PredicateTranslation.init)
  }

  var filter: SampleFilter {
    get throws(HKError) { try .samples(of: sampleType, translation) }
  }
}

extension SampleFilter {
  static func samples(of type: HKSampleType, _ predicate: PredicateTranslation?) throws(HKError)
    -> SampleFilter
  {
    .all([.type(type.identifier), try predicate?.filter ?? .everything])
  }
}

extension HKSamplePredicate {
  /// Returns a predicate for quantity samples of a type.
  public static func quantitySample(
    type: HKQuantityType, predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKQuantitySample> {
    HKSamplePredicate<HKQuantitySample>(type, predicate)
  }

  /// Returns a predicate for category samples of a type.
  public static func categorySample(
    type: HKCategoryType, predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKCategorySample> {
    HKSamplePredicate<HKCategorySample>(type, predicate)
  }

  /// Returns a predicate for correlations of a type.
  public static func correlation(
    type: HKCorrelationType, predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKCorrelation> {
    HKSamplePredicate<HKCorrelation>(type, predicate)
  }

  /// Returns a predicate for workouts.
  public static func workout(_ predicate: NSPredicate? = nil) -> HKSamplePredicate<HKWorkout> {
    HKSamplePredicate<HKWorkout>(.workoutType(), predicate)
  }

  /// Returns a predicate for audiograms.
  public static func audiogram(_ predicate: NSPredicate? = nil) -> HKSamplePredicate<HKAudiogramSample> {
    HKSamplePredicate<HKAudiogramSample>(.audiogramSampleType(), predicate)
  }

  /// Returns a predicate for vision prescriptions.
  public static func visionPrescription(
    _ predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKVisionPrescription> {
    HKSamplePredicate<HKVisionPrescription>(.visionPrescriptionType(), predicate)
  }

  /// Returns a predicate for states of mind.
  public static func stateOfMind(_ predicate: NSPredicate? = nil) -> HKSamplePredicate<HKStateOfMind> {
    HKSamplePredicate<HKStateOfMind>(.stateOfMindType(), predicate)
  }

  /// Returns a predicate for GAD-7 assessments.
  public static func gad7Assessment(_ predicate: NSPredicate? = nil) -> HKSamplePredicate<HKGAD7Assessment> {
    HKSamplePredicate<HKGAD7Assessment>(HKScoredAssessmentType(.GAD7), predicate)
  }

  /// Returns a predicate for PHQ-9 assessments.
  public static func phq9Assessment(_ predicate: NSPredicate? = nil) -> HKSamplePredicate<HKPHQ9Assessment> {
    HKSamplePredicate<HKPHQ9Assessment>(HKScoredAssessmentType(.PHQ9), predicate)
  }

  /// Returns a predicate for heartbeat series.
  public static func heartbeatSeries(
    _ predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKHeartbeatSeriesSample> {
    HKSamplePredicate<HKHeartbeatSeriesSample>(HKSeriesType.heartbeat(), predicate)
  }

  /// Returns a predicate for workout routes.
  public static func workoutRoute(_ predicate: NSPredicate? = nil) -> HKSamplePredicate<HKWorkoutRoute> {
    HKSamplePredicate<HKWorkoutRoute>(HKSeriesType.workoutRoute(), predicate)
  }

  /// Returns a predicate for electrocardiograms.
  public static func electrocardiogram(
    _ predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKElectrocardiogram> {
    HKSamplePredicate<HKElectrocardiogram>(.electrocardiogramType(), predicate)
  }

  /// Returns a predicate for clinical records of a type.
  public static func clinicalRecord(
    type: HKClinicalType, predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKClinicalRecord> {
    HKSamplePredicate<HKClinicalRecord>(type, predicate)
  }

  /// Returns a predicate for medication dose events.
  public static func medicationDoseEvent(
    _ predicate: NSPredicate? = nil
  ) -> HKSamplePredicate<HKMedicationDoseEvent> {
    HKSamplePredicate<HKMedicationDoseEvent>(ObjectTypes.medicationDoseEvent, predicate)
  }

  /// Returns a predicate for samples of any type.
  public static func sample(type: HKSampleType, predicate: NSPredicate? = nil) -> HKSamplePredicate<HKSample>
  {
    HKSamplePredicate<HKSample>(type, predicate)
  }
}
