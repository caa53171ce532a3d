public import Foundation

/// What tells one health concept from the others of its domain. Read only; equal if the domain and what it
/// identifies by are, which stays the same from one run of a program to the next.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKHealthConceptIdentifier: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let domain: HKHealthConceptDomain
  /// Means something only to who made the identifier.
  package let underlyingIdentifier: String

  /// - Parameter underlyingIdentifier: unique in the domain; not empty.
  package init(domain: HKHealthConceptDomain, underlyingIdentifier: String) throws(HKValidationError) {
    guard !domain.rawValue.isEmpty, !underlyingIdentifier.isEmpty else {
      throw HKValidationError("a health concept has a domain and an identifier")
    }
    self.domain = domain
    self.underlyingIdentifier = underlyingIdentifier
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKHealthConceptIdentifier else { return false }
    return other.domain == domain && other.underlyingIdentifier == underlyingIdentifier
  }

  open override var hash: Int { underlyingIdentifier.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(domain.rawValue as NSString, forKey: ArchiveKey.domain)
    coder.encode(underlyingIdentifier as NSString, forKey: ArchiveKey.underlyingIdentifier)
  }

  public required convenience init?(coder: NSCoder) {
    guard let domain = coder.text(forKey: ArchiveKey.domain),
      let underlyingIdentifier = coder.text(forKey: ArchiveKey.underlyingIdentifier)
    else { return nil }
    try? self.init(
      domain: HKHealthConceptDomain(rawValue: domain), underlyingIdentifier: underlyingIdentifier)
  }

  private enum ArchiveKey {
    static let domain = "domain"
    static let underlyingIdentifier = "underlyingIdentifier"
  }
}
