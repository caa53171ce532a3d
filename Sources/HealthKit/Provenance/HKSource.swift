public import Foundation
import HealthStorage

/// Who recorded: a program, or a device that is itself a source. Two sources are equal if their bundle
/// identifiers are.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKSource: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let name: String
  public let bundleIdentifier: String

  package init(name: String, bundleIdentifier: String) {
    self.name = name
    self.bundleIdentifier = bundleIdentifier
  }

  /// This program: as its `Info.plist` names it (``HKHealthStore/Application/main()``), else name and bundle
  /// identifier are both the name of its executable.
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

  /// Apple's keys are not published: in an archive of Apple's the bundle identifier is the text under a key
  /// that speaks of a bundle or an identifier, and the name that under one that speaks of a name.
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
