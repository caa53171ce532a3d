public import Foundation

/// A change log position in a store, from which an anchored query continues. It is opaque to programs, which
/// store it and pass it to the next query.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKQueryAnchor: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// The position in the change log.
  let position: Int64
  /// The identifier of the store; nil for an anchor created from an integer.
  let store: String?

  init(position: Int64, store: String?) {
    self.position = position
    self.store = store
  }

  /// Converts an integer anchor, as used by the first version of HealthKit.
  public convenience init(fromValue value: Int) {
    self.init(position: Int64(value), store: nil)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKQueryAnchor else { return false }
    return other.position == position && other.store == store
  }

  open override var hash: Int { position.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(position, forKey: ArchiveKey.position)
    coder.encode(store as NSString?, forKey: ArchiveKey.store)
  }

  public required init?(coder: NSCoder) {
    guard let position = coder.integer(forKey: ArchiveKey.position) else { return nil }
    self.position = Int64(position)
    store = coder.text(forKey: ArchiveKey.store)
  }

  /// The keys in Apple's archives.
  private enum ArchiveKey {
    static let position = "rowid"
    static let store = "clientToken"
  }
}
