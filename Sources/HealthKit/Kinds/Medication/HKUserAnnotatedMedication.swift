public import Foundation

/// A medication in the user's list. Read-only. Medications are equal if all their values are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKUserAnnotatedMedication: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// The user's name for the medication; nil if the user has not named it.
  public let nickname: String?
  /// Whether the user archived the medication.
  public let isArchived: Bool
  /// Whether the user takes the medication on a schedule.
  public let hasSchedule: Bool
  public let medication: HKMedicationConcept

  package init(nickname: String?, isArchived: Bool, hasSchedule: Bool, medication: HKMedicationConcept) {
    self.nickname = nickname
    self.isArchived = isArchived
    self.hasSchedule = hasSchedule
    self.medication = medication
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKUserAnnotatedMedication else { return false }
    return other.nickname == nickname && other.isArchived == isArchived && other.hasSchedule == hasSchedule
      && other.medication == medication
  }

  open override var hash: Int { medication.hash }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(nickname.map { $0 as NSString }, forKey: ArchiveKey.nickname)
    coder.encode(isArchived, forKey: ArchiveKey.isArchived)
    coder.encode(hasSchedule, forKey: ArchiveKey.hasSchedule)
    coder.encode(medication, forKey: ArchiveKey.medication)
  }

  public required init?(coder: NSCoder) {
    guard let medication = coder.object(HKMedicationConcept.self, forKey: ArchiveKey.medication),
      let isArchived = coder.flag(forKey: ArchiveKey.isArchived),
      let hasSchedule = coder.flag(forKey: ArchiveKey.hasSchedule)
    else { return nil }
    nickname = coder.text(forKey: ArchiveKey.nickname)
    self.isArchived = isArchived
    self.hasSchedule = hasSchedule
    self.medication = medication
  }

  private enum ArchiveKey {
    static let nickname = "nickname"
    static let isArchived = "isArchived"
    static let hasSchedule = "hasSchedule"
    static let medication = "medication"
  }
}

/// The type of the user's medications. A program requests permission with
/// `requestPerObjectReadAuthorization(for:predicate:)`, but the user decides on all medications together.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKUserAnnotatedMedicationType: HKObjectType, @unchecked Sendable {
  public override func requiresPerObjectAuthorization() -> Bool { true }
}
