public import Foundation

/// A code of a clinical terminology, such as RxNorm. Codings are equal if all three values are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKClinicalCoding: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// The terminology, usually a URL.
  public let system: String
  /// The version of the terminology; nil if unspecified.
  public let version: String?
  public let code: String

  public init(system: String, version: String?, code: String) {
    self.system = system
    self.version = version
    self.code = code
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKClinicalCoding else { return false }
    return other.system == system && other.version == version && other.code == code
  }

  open override var hash: Int { code.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(system as NSString, forKey: ArchiveKey.system)
    coder.encode(version.map { $0 as NSString }, forKey: ArchiveKey.version)
    coder.encode(code as NSString, forKey: ArchiveKey.code)
  }

  public required init?(coder: NSCoder) {
    guard let system = coder.text(forKey: ArchiveKey.system), let code = coder.text(forKey: ArchiveKey.code)
    else { return nil }
    self.system = system
    version = coder.text(forKey: ArchiveKey.version)
    self.code = code
  }

  private enum ArchiveKey {
    static let system = "system"
    static let version = "version"
    static let code = "code"
  }
}
