public import Foundation

/// What the user's Move ring counts: active energy or move time. Two objects are equal if their values are.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKActivityMoveModeObject: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  private let value: HKActivityMoveMode

  package init(_ value: HKActivityMoveMode) {
    self.value = value
  }

  /// Creates an object with the default mode, active energy.
  public override init() {
    value = .activeEnergy
  }

  /// The mode that the user entered, or active energy by default.
  open var activityMoveMode: HKActivityMoveMode { value }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? HKActivityMoveModeObject)?.activityMoveMode == activityMoveMode
  }

  open override var hash: Int { activityMoveMode.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(activityMoveMode.rawValue, forKey: ArchiveKey.value)
  }

  public required init?(coder: NSCoder) {
    guard let value = coder.value(HKActivityMoveMode.self, forKey: ArchiveKey.value) else { return nil }
    self.value = value
  }

  private enum ArchiveKey {
    static let value = "value"
  }
}
