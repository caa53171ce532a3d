public import Foundation

/// A storey of a building. Programs read one and cannot make one; nothing on Linux knows on which storey a
/// place is.
// @unchecked: open as Apple's class is, but its state is `let`.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// 0 is the ground floor; below it the numbers are negative.
  public let level: Int

  init(level: Int) {
    self.level = level
  }

  open override func isEqual(_ object: Any?) -> Bool { (object as? CLFloor)?.level == level }
  open override var hash: Int { level }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(level, forKey: ArchiveKey.level)
  }

  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: ArchiveKey.level) else { return nil }
    level = coder.decodeInteger(forKey: ArchiveKey.level)
  }

  private enum ArchiveKey {
    static let level = "level"
  }
}
