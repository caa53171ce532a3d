public import Foundation

/// A place in the history of the store, from which an anchored query goes on. Opaque: it says nothing by
/// itself, and serves to be kept and handed back.
// @unchecked: open as Apple's class is, but its state is `let` and Sendable.
open class HKQueryAnchor: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// How far the history had come.
  let position: Int64
  /// Which store's history; nil for an anchor that was made from a number.
  let store: String?

  init(position: Int64, store: String?) {
    self.position = position
    self.store = store
  }

  /// The anchor that an integer of the first HealthKit stands for.
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

  /// As Apple's framework spells them.
  private enum ArchiveKey {
    static let position = "rowid"
    static let store = "clientToken"
  }
}
