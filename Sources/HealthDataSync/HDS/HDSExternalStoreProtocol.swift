/// A place outside that holds external objects. Each function calls its completion once; what comes after the
/// first call is ignored.
public protocol HDSExternalStoreProtocol {
  /// What tells it from other stores of its class, the same in each run of the program: how far each has come
  /// is kept under it. nil for the only store of its class. (Not in the original library.)
  var storeIdentity: String? { get }

  /// Finds those of the objects that the store holds. What it answers is taken for existing.
  @preconcurrency
  func fetchObjects(
    with objects: [any HDSExternalObjectProtocol],
    completion: @escaping @Sendable ([any HDSExternalObjectProtocol]?, (any Error)?) -> Void)

  @preconcurrency
  func add(
    objects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void)

  @preconcurrency
  func update(
    objects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void)

  @preconcurrency
  func delete(
    deletedObjects: [any HDSExternalObjectProtocol],
    completion: @escaping @Sendable ((any Error)?) -> Void)
}

extension HDSExternalStoreProtocol {
  public var storeIdentity: String? { nil }
}
