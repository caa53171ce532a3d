public import Foundation

/// What a piece of health data is about. Two types are equal if their identifiers are.
///
/// There is one object for each identifier of the tables.
// @unchecked: open as Apple's class is, but its state and that of its subclasses is `let` and Sendable.
open class HKObjectType: NSObject, HKArchivable, NSCopying, HKInitializable, @unchecked Sendable {
  /// The raw string of the identifier.
  public let identifier: String

  init(identifier: String) {
    self.identifier = identifier
  }

  /// Whether the user permits reading object by object, as for prescriptions and medications.
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

  /// nil for an identifier that is not one of this class.
  public required init?(coder: NSCoder) {
    guard let identifier = Self.identifier(from: coder),
      let known = ObjectTypes.type(identifier), type(of: known) == Self.self
    else { return nil }
    self.identifier = identifier
  }

  /// As this module writes it, or by the number that Apple's framework writes.
  static func identifier(from coder: NSCoder) -> String? {
    guard !coder.hasValue(forKey: ArchiveKey.identifier) else {
      return coder.text(forKey: ArchiveKey.identifier)
    }
    return coder.integer(forKey: ArchiveKey.code).flatMap { TypeCodes.identifiers[$0] }
  }

  private enum ArchiveKey {
    static let identifier = "identifier"
    // Apple's.
    static let code = "Code"
  }
}
