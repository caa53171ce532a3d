public import Foundation

/// The person whom a verifiable clinical record is about. Read-only. Subjects are equal if name and date of
/// birth are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKVerifiableClinicalRecordSubject: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let fullName: String
  /// The date of birth, as precisely as the issuer stated it: a year, a year and a month, or a full date.
  public let dateOfBirthComponents: DateComponents?

  package init(fullName: String, dateOfBirthComponents: DateComponents?) {
    self.fullName = fullName
    self.dateOfBirthComponents = dateOfBirthComponents.map {
      DateComponents(year: $0.year, month: $0.month, day: $0.day)
    }
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKVerifiableClinicalRecordSubject else { return false }
    return other.fullName == fullName && other.dateOfBirthComponents == dateOfBirthComponents
  }

  open override var hash: Int { fullName.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(fullName as NSString, forKey: ArchiveKey.fullName)
    coder.encode(dateOfBirthComponents != nil, forKey: ArchiveKey.hasDateOfBirth)
    if let year = dateOfBirthComponents?.year { coder.encode(year, forKey: ArchiveKey.year) }
    if let month = dateOfBirthComponents?.month { coder.encode(month, forKey: ArchiveKey.month) }
    if let day = dateOfBirthComponents?.day { coder.encode(day, forKey: ArchiveKey.day) }
  }

  public required init?(coder: NSCoder) {
    guard let fullName = coder.text(forKey: ArchiveKey.fullName) else { return nil }
    self.fullName = fullName
    guard let hasDateOfBirth = coder.flag(forKey: ArchiveKey.hasDateOfBirth) else { return nil }
    dateOfBirthComponents =
      hasDateOfBirth
      ? DateComponents(
        year: coder.integer(forKey: ArchiveKey.year), month: coder.integer(forKey: ArchiveKey.month),
        day: coder.integer(forKey: ArchiveKey.day)) : nil
  }

  private enum ArchiveKey {
    static let fullName = "fullName"
    static let hasDateOfBirth = "hasDateOfBirth"
    static let year = "yearOfBirth"
    static let month = "monthOfBirth"
    static let day = "dayOfBirth"
  }
}
