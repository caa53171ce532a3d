public import Foundation

/// The type of a piece of health data. Types are equal if their identifiers are equal.
///
/// This module creates one instance for each identifier in its tables (directory `Tables`).
// @unchecked: the class is open, like Apple's. All state, also of subclasses, is `let` and Sendable.
open class HKObjectType: NSObject, HKArchivable, NSCopying, HKInitializable, @unchecked Sendable {
  /// The identifier as a string.
  public let identifier: String

  init(identifier: String) {
    self.identifier = identifier
  }

  /// Returns whether the user authorizes reading for each object separately, as for prescriptions and
  /// medications.
  open func requiresPerObjectAuthorization() -> Bool { false }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKObjectType else { return false }
    return other === self || other.identifier == identifier
  }

  open override var hash: Int { identifier.hashValue }
  open override var description: String { identifier }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString, forKey: ArchiveKey.identifier)
  }

  /// Decodes a type. Returns nil if the identifier does not belong to a type of this class.
  public required init?(coder: NSCoder) {
    guard let identifier = Self.identifier(from: coder),
      let known = ObjectTypes.type(identifier), type(of: known) == Self.self
    else { return nil }
    self.identifier = identifier
  }

  /// Decodes the identifier. This module encodes it as a string, and Apple's framework as a number.
  static func identifier(from coder: NSCoder) -> String? {
    guard !coder.hasValue(forKey: ArchiveKey.identifier) else {
      return coder.text(forKey: ArchiveKey.identifier)
    }
    return coder.integer(forKey: ArchiveKey.code).flatMap { TypeCodes.identifiers[$0] }
  }

  private enum ArchiveKey {
    static let identifier = "identifier"
    // The key of the type's number in Apple's archives.
    static let code = "Code"
  }
}

extension HKObjectType {
  /// Returns the type with an identifier, or nil if the identifier is unknown.
  public class func quantityType(forIdentifier identifier: HKQuantityTypeIdentifier) -> HKQuantityType? {
    ObjectTypes.type(identifier.rawValue) as? HKQuantityType
  }

  /// Returns the type with an identifier, or nil if the identifier is unknown.
  public class func categoryType(forIdentifier identifier: HKCategoryTypeIdentifier) -> HKCategoryType? {
    ObjectTypes.type(identifier.rawValue) as? HKCategoryType
  }

  /// Returns the type with an identifier, or nil if the identifier is unknown.
  public class func characteristicType(
    forIdentifier identifier: HKCharacteristicTypeIdentifier
  ) -> HKCharacteristicType? {
    ObjectTypes.type(identifier.rawValue) as? HKCharacteristicType
  }

  /// Returns the type with an identifier, or nil if the identifier is unknown.
  public class func correlationType(
    forIdentifier identifier: HKCorrelationTypeIdentifier
  ) -> HKCorrelationType? {
    ObjectTypes.type(identifier.rawValue) as? HKCorrelationType
  }

  /// Returns the type with an identifier, or nil if the identifier is unknown.
  public class func documentType(forIdentifier identifier: HKDocumentTypeIdentifier) -> HKDocumentType? {
    ObjectTypes.type(identifier.rawValue) as? HKDocumentType
  }

  /// Returns the type with an identifier, or nil if the identifier is unknown.
  public class func clinicalType(forIdentifier identifier: HKClinicalTypeIdentifier) -> HKClinicalType? {
    ObjectTypes.type(identifier.rawValue) as? HKClinicalType
  }

  /// Returns the type with an identifier, or nil if the identifier is unknown. (In Swift, Apple's framework
  /// has only the initializer.)
  public class func scoredAssessmentType(
    forIdentifier identifier: HKScoredAssessmentTypeIdentifier
  ) -> HKScoredAssessmentType? {
    ObjectTypes.type(identifier.rawValue) as? HKScoredAssessmentType
  }

  /// Returns the type with an identifier, or nil if no series type has the identifier.
  public class func seriesType(forIdentifier identifier: String) -> HKSeriesType? {
    ObjectTypes.type(identifier) as? HKSeriesType
  }

  /// Returns the type of `HKWorkout`.
  public class func workoutType() -> HKWorkoutType { ObjectTypes.workout }

  /// Returns the type of `HKActivitySummary`.
  public class func activitySummaryType() -> HKActivitySummaryType { ObjectTypes.activitySummary }

  /// Returns the type of `HKAudiogramSample`.
  public class func audiogramSampleType() -> HKAudiogramSampleType { ObjectTypes.audiogram }

  /// Returns the type of `HKElectrocardiogram`.
  public class func electrocardiogramType() -> HKElectrocardiogramType { ObjectTypes.electrocardiogram }

  /// Returns the type of `HKVisionPrescription`.
  public class func visionPrescriptionType() -> HKPrescriptionType { ObjectTypes.visionPrescription }

  /// Returns the type of `HKStateOfMind`.
  public class func stateOfMindType() -> HKStateOfMindType { ObjectTypes.stateOfMind }

  /// Returns the type of `HKMedicationDoseEvent`.
  public class func medicationDoseEventType() -> HKMedicationDoseEventType { ObjectTypes.medicationDoseEvent }

  /// Returns the type of `HKUserAnnotatedMedication`.
  public class func userAnnotatedMedicationType() -> HKUserAnnotatedMedicationType {
    ObjectTypes.userAnnotatedMedication
  }
}
