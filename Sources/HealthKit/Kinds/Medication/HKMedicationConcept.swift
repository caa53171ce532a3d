public import Foundation

/// A medication, independent of who takes it. Read-only. Concepts are equal if all their values are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKMedicationConcept: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let identifier: HKHealthConceptIdentifier
  /// The name of the medication for display.
  public let displayText: String
  public let generalForm: HKMedicationGeneralForm
  /// The codes of the medication in clinical terminologies. Empty if the user described the medication in
  /// their own words.
  public let relatedCodings: Set<HKClinicalCoding>

  /// Creates a medication concept.
  /// - Parameter identifier: Must be in the medication domain.
  package init(
    identifier: HKHealthConceptIdentifier, displayText: String, generalForm: HKMedicationGeneralForm,
    relatedCodings: Set<HKClinicalCoding>
  ) throws(HKValidationError) {
    guard identifier.domain == .medication else {
      throw HKValidationError("a medication's identifier must be of the domain of medications")
    }
    self.identifier = identifier
    self.displayText = displayText
    self.generalForm = generalForm
    self.relatedCodings = relatedCodings
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKMedicationConcept else { return false }
    return other.identifier == identifier && other.displayText == displayText
      && other.generalForm == generalForm && other.relatedCodings == relatedCodings
  }

  open override var hash: Int { identifier.hash }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(identifier, forKey: ArchiveKey.identifier)
    coder.encode(displayText as NSString, forKey: ArchiveKey.displayText)
    coder.encode(generalForm.rawValue as NSString, forKey: ArchiveKey.generalForm)
    let codings = relatedCodings.sorted { ($0.system, $0.code) < ($1.system, $1.code) }
    coder.encode(codings as NSArray, forKey: ArchiveKey.relatedCodings)
  }

  public required convenience init?(coder: NSCoder) {
    guard let identifier = coder.object(HKHealthConceptIdentifier.self, forKey: ArchiveKey.identifier),
      let displayText = coder.text(forKey: ArchiveKey.displayText),
      let generalForm = coder.text(forKey: ArchiveKey.generalForm),
      let codings = coder.objects(HKClinicalCoding.self, forKey: ArchiveKey.relatedCodings)
    else { return nil }
    try? self.init(
      identifier: identifier, displayText: displayText,
      generalForm: HKMedicationGeneralForm(rawValue: generalForm),
      relatedCodings: Set(codings))
  }

  private enum ArchiveKey {
    static let identifier = "identifier"
    static let displayText = "displayText"
    static let generalForm = "generalForm"
    static let relatedCodings = "relatedCodings"
  }
}

/// The form of a medication, such as a tablet. Apple does not publish the raw values, so they are the names
/// of Apple's constants here.
public struct HKMedicationGeneralForm: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKMedicationGeneralForm {
  public static let capsule = Self(rawValue: "HKMedicationGeneralFormCapsule")
  public static let cream = Self(rawValue: "HKMedicationGeneralFormCream")
  public static let device = Self(rawValue: "HKMedicationGeneralFormDevice")
  public static let drops = Self(rawValue: "HKMedicationGeneralFormDrops")
  public static let foam = Self(rawValue: "HKMedicationGeneralFormFoam")
  public static let gel = Self(rawValue: "HKMedicationGeneralFormGel")
  public static let inhaler = Self(rawValue: "HKMedicationGeneralFormInhaler")
  public static let injection = Self(rawValue: "HKMedicationGeneralFormInjection")
  public static let liquid = Self(rawValue: "HKMedicationGeneralFormLiquid")
  public static let lotion = Self(rawValue: "HKMedicationGeneralFormLotion")
  public static let ointment = Self(rawValue: "HKMedicationGeneralFormOintment")
  public static let patch = Self(rawValue: "HKMedicationGeneralFormPatch")
  public static let powder = Self(rawValue: "HKMedicationGeneralFormPowder")
  public static let spray = Self(rawValue: "HKMedicationGeneralFormSpray")
  public static let suppository = Self(rawValue: "HKMedicationGeneralFormSuppository")
  public static let tablet = Self(rawValue: "HKMedicationGeneralFormTablet")
  public static let topical = Self(rawValue: "HKMedicationGeneralFormTopical")
  public static let unknown = Self(rawValue: "HKMedicationGeneralFormUnknown")
}
