extension HKObjectType {
  /// nil for an identifier that is not in the table.
  public class func quantityType(forIdentifier identifier: HKQuantityTypeIdentifier) -> HKQuantityType? {
    ObjectTypes.type(identifier.rawValue) as? HKQuantityType
  }

  /// nil for an identifier that is not in the table.
  public class func categoryType(forIdentifier identifier: HKCategoryTypeIdentifier) -> HKCategoryType? {
    ObjectTypes.type(identifier.rawValue) as? HKCategoryType
  }

  /// nil for an identifier that is not in the table.
  public class func characteristicType(
    forIdentifier identifier: HKCharacteristicTypeIdentifier
  ) -> HKCharacteristicType? {
    ObjectTypes.type(identifier.rawValue) as? HKCharacteristicType
  }

  /// nil for an identifier that is not in the table.
  public class func correlationType(
    forIdentifier identifier: HKCorrelationTypeIdentifier
  ) -> HKCorrelationType? {
    ObjectTypes.type(identifier.rawValue) as? HKCorrelationType
  }

  /// nil for an identifier that is not in the table.
  public class func documentType(forIdentifier identifier: HKDocumentTypeIdentifier) -> HKDocumentType? {
    ObjectTypes.type(identifier.rawValue) as? HKDocumentType
  }

  /// nil for an identifier that is not in the table.
  public class func clinicalType(forIdentifier identifier: HKClinicalTypeIdentifier) -> HKClinicalType? {
    ObjectTypes.type(identifier.rawValue) as? HKClinicalType
  }

  /// nil for an identifier that is not in the table. (In Swift Apple's framework has only the initialiser.)
  public class func scoredAssessmentType(
    forIdentifier identifier: HKScoredAssessmentTypeIdentifier
  ) -> HKScoredAssessmentType? {
    ObjectTypes.type(identifier.rawValue) as? HKScoredAssessmentType
  }

  /// nil for an identifier that no series type has.
  public class func seriesType(forIdentifier identifier: String) -> HKSeriesType? {
    ObjectTypes.type(identifier) as? HKSeriesType
  }

  /// The type of `HKWorkout`.
  public class func workoutType() -> HKWorkoutType { ObjectTypes.workout }

  /// The type of `HKActivitySummary`.
  public class func activitySummaryType() -> HKActivitySummaryType { ObjectTypes.activitySummary }

  /// The type of `HKAudiogramSample`.
  public class func audiogramSampleType() -> HKAudiogramSampleType { ObjectTypes.audiogram }

  /// The type of `HKElectrocardiogram`.
  public class func electrocardiogramType() -> HKElectrocardiogramType { ObjectTypes.electrocardiogram }

  /// The type of `HKVisionPrescription`.
  public class func visionPrescriptionType() -> HKPrescriptionType { ObjectTypes.visionPrescription }

  /// The type of `HKStateOfMind`.
  public class func stateOfMindType() -> HKStateOfMindType { ObjectTypes.stateOfMind }

  /// The type of `HKMedicationDoseEvent`.
  public class func medicationDoseEventType() -> HKMedicationDoseEventType { ObjectTypes.medicationDoseEvent }

  /// The type of `HKUserAnnotatedMedication`.
  public class func userAnnotatedMedicationType() -> HKUserAnnotatedMedicationType {
    ObjectTypes.userAnnotatedMedication
  }
}
