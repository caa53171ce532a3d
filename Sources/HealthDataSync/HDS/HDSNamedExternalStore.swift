/// An external store under a name that tells it from others of its class. (Not in the original library.)
struct HDSNamedExternalStore: HDSExternalStoreProtocol {
  let store: any HDSExternalStoreProtocol
  let storeIdentity: String?

  func fetchObjects(
    with objects: [any HDSExternalObjectProtocol],
    completion: @escaping @Sendable ([any HDSExternalObjectProtocol]?, (any Error)?) -> Void
  ) {
    store.fetchObjects(with: objects, completion: completion)
  }

  func add(
    objects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    store.add(objects: objects, completion: completion)
  }

  func update(
    objects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    store.update(objects: objects, completion: completion)
  }

  func delete(
    deletedObjects: [any HDSExternalObjectProtocol], completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    store.delete(deletedObjects: deletedObjects, completion: completion)
  }
}
