/// All object types. There is one instance of each.
enum ObjectTypes {
  static let workout = HKWorkoutType(identifier: HKWorkoutTypeIdentifier)
  static let workoutRoute = HKSeriesType(identifier: HKWorkoutRouteTypeIdentifier)
  static let heartbeatSeries = HKSeriesType(identifier: HKDataTypeIdentifierHeartbeatSeries)
  static let activitySummary = HKActivitySummaryType(identifier: "HKActivitySummaryTypeIdentifier")
  static let audiogram = HKAudiogramSampleType(identifier: "HKDataTypeIdentifierAudiogram")
  static let electrocardiogram = HKElectrocardiogramType(identifier: "HKDataTypeIdentifierElectrocardiogram")
  static let visionPrescription = HKPrescriptionType(identifier: HKVisionPrescriptionTypeIdentifier)
  static let stateOfMind = HKStateOfMindType(identifier: HKDataTypeIdentifierStateOfMind)
  static let medicationDoseEvent = HKMedicationDoseEventType(
    identifier: HKMedicationDoseEventTypeIdentifierMedicationDoseEvent)
  static let userAnnotatedMedication = HKUserAnnotatedMedicationType(
    identifier: HKDataTypeIdentifierUserAnnotatedMedicationConcept)
  static let verifiableClinicalRecord = VerifiableClinicalRecordType(
    identifier: "HKVerifiableClinicalRecordTypeIdentifier")

  /// Returns the type with an identifier, or nil if the identifier is unknown.
  static func type(_ identifier: String) -> HKObjectType? {
    table[identifier]
  }

  /// Returns the type with an identifier. Traps if there is no such type, like Apple's initializers of types.
  static func type<ObjectType: HKObjectType>(
    _ identifier: String, as type: ObjectType.Type
  ) -> ObjectType {
    guard let found = table[identifier] as? ObjectType else {
      HKValidationError(.invalidArgument, "there is no \(type) with the identifier \(identifier)").raise()
    }
    return found
  }

  static let all: [HKObjectType] = quantityTypes + categoryTypes + named + single

  private static let table: [String: HKObjectType] = Dictionary(
    all.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })

  private static let quantityTypes: [HKObjectType] = QuantityTypeTraits.rows.map {
    HKQuantityType(identifier: $0.identifier.rawValue, traits: QuantityTypeTraits($0))
  }

  private static let categoryTypes: [HKObjectType] = CategoryTypeTraits.rows.map {
    HKCategoryType(identifier: $0.identifier.rawValue, traits: CategoryTypeTraits($0))
  }

  private static let named: [HKObjectType] =
    HKCharacteristicTypeIdentifier.all.map { HKCharacteristicType(identifier: $0.rawValue) }
    + HKCorrelationTypeIdentifier.all.map { HKCorrelationType(identifier: $0.rawValue) }
    + HKDocumentTypeIdentifier.all.map { HKDocumentType(identifier: $0.rawValue) }
    + HKClinicalTypeIdentifier.all.map { HKClinicalType(identifier: $0.rawValue) }
    + HKScoredAssessmentTypeIdentifier.all.map { HKScoredAssessmentType(identifier: $0.rawValue) }

  private static let single: [HKObjectType] = [
    workout, workoutRoute, heartbeatSeries, activitySummary, audiogram, electrocardiogram, visionPrescription,
    stateOfMind, medicationDoseEvent, userAnnotatedMedication, verifiableClinicalRecord,
  ]
}

extension HKObjectType {
  /// All types sorted by identifier.
  package static var everyKnown: [HKObjectType] {
    ObjectTypes.all.sorted { $0.identifier < $1.identifier }
  }
}

extension HKSampleType {
  /// All sample types sorted by identifier.
  package static var known: [HKSampleType] {
    ObjectTypes.all.compactMap { $0 as? HKSampleType }.sorted { $0.identifier < $1.identifier }
  }
}

/// The numbers that identify types in archives of Apple's framework.
///
/// Apple does not publish them. They are assumed to be the numbers in the health database of an iPhone
/// backup, which others have documented. Types whose number is unknown cannot be decoded.
enum TypeCodes {}
