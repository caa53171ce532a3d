public import Foundation
import HealthStorage

/// Who recorded: a program, or a device that is a source itself. Two sources are equal if their bundle identifiers
/// are.
public final class HKSource: NSObject, Sendable {
  public let name: String
  public let bundleIdentifier: String

  package init(name: String, bundleIdentifier: String) {
    self.name = name
    self.bundleIdentifier = bundleIdentifier
  }

  /// This program: on Linux both name and bundle identifier are the name of its executable.
  public class func `default`() -> HKSource { thisProgram }

  private static let thisProgram: HKSource = {
    let name = ProcessInfo.processInfo.processName
    return HKSource(name: name, bundleIdentifier: name)
  }()

  convenience init(_ record: SourceRecord) {
    self.init(name: record.name, bundleIdentifier: record.bundleIdentifier)
  }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? HKSource)?.bundleIdentifier == bundleIdentifier
  }

  public override var hash: Int { bundleIdentifier.hashValue }
  public override var description: String { "\(name) (\(bundleIdentifier))" }
}
