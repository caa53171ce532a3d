public import Foundation

/// The skin type that the user entered. Two objects are equal if their values are.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKFitzpatrickSkinTypeObject: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  private let value: HKFitzpatrickSkinType

  package init(_ value: HKFitzpatrickSkinType) {
    self.value = value
  }

  /// Creates an object for a value that was not entered or is not readable.
  public override init() {
    value = .notSet
  }

  /// The value, or `notSet` if none was entered or it is not readable.
  open var skinType: HKFitzpatrickSkinType { value }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? HKFitzpatrickSkinTypeObject)?.skinType == skinType
  }

  open override var hash: Int { skinType.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(skinType.rawValue, forKey: ArchiveKey.value)
  }

  public required init?(coder: NSCoder) {
    guard let value = coder.value(HKFitzpatrickSkinType.self, forKey: ArchiveKey.value) else { return nil }
    self.value = value
  }

  private enum ArchiveKey {
    static let value = "value"
  }
}
