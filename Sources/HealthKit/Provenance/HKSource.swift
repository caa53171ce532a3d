public import Foundation
import HealthStorage

/// The source of samples: a program, or a device that saves its own samples. Two sources are equal if their
/// bundle identifiers are.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKSource: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// The name to show to the user.
  public let name: String
  /// The identifier of the program or device.
  public let bundleIdentifier: String

  package init(name: String, bundleIdentifier: String) {
    self.name = name
    self.bundleIdentifier = bundleIdentifier
  }

  /// Returns the source of this program, as named by its `Info.plist` (``HKHealthStore/Application/main()``).
  /// Without one, the name and the bundle identifier are the executable's name.
  public class func `default`() -> HKSource { thisProgram }

  private static let thisProgram: HKSource = {
    if case .success(let application) = HKHealthStore.Application.this { return application.revision.source }
    let name = ProcessInfo.processInfo.processName
    return HKSource(name: name, bundleIdentifier: name)
  }()

  convenience init(_ record: SourceRecord) {
    self.init(name: record.name, bundleIdentifier: record.bundleIdentifier)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? HKSource)?.bundleIdentifier == bundleIdentifier
  }

  open override var hash: Int { bundleIdentifier.hashValue }
  open override var description: String { "\(name) (\(bundleIdentifier))" }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: ArchiveKey.name)
    coder.encode(bundleIdentifier as NSString, forKey: ArchiveKey.bundleIdentifier)
  }

  /// Decodes a source. Apple does not publish the keys. In an archive by Apple's framework, a text whose key
  /// contains "bundle" or "identifier" is used as the bundle identifier. A text whose key contains "name" is
  /// used as the name.
  public required init?(coder: NSCoder) {
    let name = coder.text(forKey: ArchiveKey.name) { $0.contains("name") && !$0.contains("bundle") }
    let bundleIdentifier =
      coder.text(forKey: ArchiveKey.bundleIdentifier) { $0.contains("bundle") }
      ?? coder.text(forKey: ArchiveKey.bundleIdentifier) { $0.contains("identifier") }
    guard let name, let bundleIdentifier else { return nil }
    self.name = name
    self.bundleIdentifier = bundleIdentifier
  }

  private enum ArchiveKey {
    static let name = "name"
    static let bundleIdentifier = "bundleIdentifier"
  }
}
