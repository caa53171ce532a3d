public import Foundation

/// A version of FHIR. Versions are equal if their three numbers are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKFHIRVersion: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let majorVersion: Int
  public let minorVersion: Int
  public let patchVersion: Int

  init(_ major: Int, _ minor: Int, _ patch: Int) {
    majorVersion = major
    minorVersion = minor
    patchVersion = patch
  }

  /// Creates a version from a string.
  /// - Parameter versionString: Three numbers separated by periods, such as `4.0.1`.
  /// - Throws: `HKError` errorInvalidArgument for any other string.
  public convenience init(fromVersionString versionString: String) throws {
    guard let (major, minor, patch) = Self.numbers(versionString) else {
      throw HKError(.errorInvalidArgument, reason: "a FHIR version has the form major.minor.patch")
    }
    self.init(major, minor, patch)
  }

  private static func numbers(_ string: String) -> (Int, Int, Int)? {
    let parts = string.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ part in part.utf8.allSatisfy { (48...57).contains($0) } }),
      let major = Int(parts[0]), let minor = Int(parts[1]), let patch = Int(parts[2])
    else { return nil }
    return (major, minor, patch)
  }

  /// Returns version 1.0.2, the second Draft Standard for Trial Use.
  public class func primaryDSTU2() -> HKFHIRVersion { HKFHIRVersion(1, 0, 2) }
  /// Returns version 4.0.1, the first with normative content.
  public class func primaryR4() -> HKFHIRVersion { HKFHIRVersion(4, 0, 1) }

  /// The release of the version; `.unknown` if HealthKit has no name for it.
  public var fhirRelease: HKFHIRRelease {
    switch (majorVersion, minorVersion) {
    case (1, 0): .dstu2
    case (4, 0): .r4
    default: .unknown
    }
  }

  /// The three numbers separated by periods.
  public var stringRepresentation: String { "\(majorVersion).\(minorVersion).\(patchVersion)" }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? HKFHIRVersion)?.stringRepresentation == stringRepresentation
  }

  open override var hash: Int { stringRepresentation.hashValue }
  open override var description: String { stringRepresentation }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(stringRepresentation as NSString, forKey: ArchiveKey.version)
  }

  public required init?(coder: NSCoder) {
    guard let (major, minor, patch) = coder.text(forKey: ArchiveKey.version).flatMap(Self.numbers) else {
      return nil
    }
    majorVersion = major
    minorVersion = minor
    patchVersion = patch
  }

  private enum ArchiveKey {
    static let version = "version"
  }
}
