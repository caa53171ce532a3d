/// Where a synchroniser takes objects, and whether that is where another takes them.
struct ExternalPlace {
  /// The external store, or a synchroniser that has none.
  private let content: Any
  /// What tells it from others of its class in each run of the program; nil for nothing.
  let identity: String?

  init(of synchronizer: any HDSObjectSynchronizerProtocol) {
    if let store = (synchronizer as? HDSObjectSynchronizer)?.externalStore {
      content = (store as? HDSNamedExternalStore)?.store ?? store
      identity = store.storeIdentity
    } else {
      content = synchronizer
      identity = synchronizer.storeIdentity
    }
  }

  var className: String { "\(type(of: content))" }

  /// By their identities, or by what they are where neither has one.
  func isSame(as other: ExternalPlace) -> Bool {
    guard type(of: content) == type(of: other.content), identity == other.identity else { return false }
    return identity != nil || isIdentical(to: other)
  }

  /// The same object; equal values, and values that hold nothing.
  private func isIdentical(to other: ExternalPlace) -> Bool {
    if type(of: content) is AnyClass { return (content as AnyObject) === (other.content as AnyObject) }
    if let value = content as? any Equatable { return Self.isEqual(value, other.content) }
    return Mirror(reflecting: content).children.isEmpty
  }

  private static func isEqual<Value: Equatable>(_ value: Value, _ other: Any) -> Bool {
    other as? Value == value
  }
}
