public import Foundation

/// The blood type that the user entered. Two objects are equal if their values are.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKBloodTypeObject: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  private let value: HKBloodType

  package init(_ value: HKBloodType) {
    self.value = value
  }

  /// Creates an object for a value that was not entered or is not readable.
  public override init() {
    value = .notSet
  }

  /// The value, or `notSet` if none was entered or it is not readable.
  open var bloodType: HKBloodType { value }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? HKBloodTypeObject)?.bloodType == bloodType
  }

  open override var hash: Int { bloodType.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(bloodType.rawValue, forKey: ArchiveKey.value)
  }

  public required init?(coder: NSCoder) {
    guard let value = coder.value(HKBloodType.self, forKey: ArchiveKey.value) else { return nil }
    self.value = value
  }

  private enum ArchiveKey {
    static let value = "value"
  }
}
