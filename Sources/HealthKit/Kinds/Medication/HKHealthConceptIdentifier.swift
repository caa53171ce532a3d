public import Foundation

/// An identifier of a health concept, unique in its domain. Read-only. Identifiers are equal if domain and
/// underlying identifier are equal; these do not change between runs of a program.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKHealthConceptIdentifier: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let domain: HKHealthConceptDomain
  /// A string that only the creator of the identifier can interpret.
  package let underlyingIdentifier: String

  /// Creates an identifier.
  /// - Parameter underlyingIdentifier: Must be unique in the domain and not empty.
  package init(domain: HKHealthConceptDomain, underlyingIdentifier: String) throws(HKValidationError) {
    guard !domain.rawValue.isEmpty, !underlyingIdentifier.isEmpty else {
      throw HKValidationError("a health concept needs a domain and an identifier")
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

/// The domain of a health concept.
public struct HKHealthConceptDomain: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension HKHealthConceptDomain {
  public static let medication = Self(rawValue: "HKHealthConceptDomainMedication")
}
