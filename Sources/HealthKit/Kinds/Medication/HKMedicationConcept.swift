public import Foundation

/// A medication as such, whoever takes it. Read only; equal if all its values are.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKMedicationConcept: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let identifier: HKHealthConceptIdentifier
  /// What the medication is called, for a person.
  public let displayText: String
  public let generalForm: HKMedicationGeneralForm
  /// The medication in terminologies; none if the person described it themselves.
  public let relatedCodings: Set<HKClinicalCoding>

  /// - Parameter identifier: of the domain of medications.
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
