public import Foundation

/// A medication as one person keeps it. Read only; equal if all its values are.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKUserAnnotatedMedication: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// What the person calls the medication; nil if they gave it no name.
  public let nickname: String?
  /// Whether the person put the medication away.
  public let isArchived: Bool
  /// Whether the person takes the medication at set times.
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
