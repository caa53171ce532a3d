public import Foundation
public import HealthKit

/// An external store of objects. Each function calls its completion once, and later calls are ignored.
public protocol HDSExternalStoreProtocol {
  /// The stable identity that distinguishes the store from others of its class. Its progress is saved under
  /// this identity. It is `nil` for the only store of a class. (Not in the original library.)
  var storeIdentity: String? { get }

  /// Fetches those of the objects that the store contains. Returned objects count as existing.
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

/// An object of an external store that is created from a HealthKit object.
public protocol HDSExternalObjectProtocol {
  /// The UUID that matches it to the HealthKit object.
  var uuid: UUID { get set }

  /// Returns the types for which the user is asked. For a correlation, these are the types of its members.
  static func authorizationTypes() -> [HKObjectType]?

  /// Returns the type to query.
  static func healthKitObjectType() -> HKObjectType?

  /// Creates an external object. Returns `nil` if the object is not meant for the external store.
  static func externalObject(object: HKObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?

  /// Creates the external object of a deleted object. Returns `nil` if the external store cannot contain it.
  static func externalObject(deletedObject: HKDeletedObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?

  /// Updates this object from the HealthKit object.
  func update(with object: HKObject)
}

/// A converter of HealthKit objects to objects of an external store.
public protocol HDSConverterProtocol {
  func convert<T>(object: HKObject) throws -> T
  func convert<T>(deletedObject: HKDeletedObject) throws -> T
}

/// An external store with a name. (Not in the original library.)
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

/// The target of a synchronizer, for comparison with that of another.
struct ExternalPlace {
  /// The external store, or the synchronizer itself if it has none.
  private let content: Any
  /// The stable identity that distinguishes it from others of its class, or `nil`.
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

  /// Returns whether two targets are the same. Identities are compared, or the targets themselves if neither
  /// has one.
  func isSame(as other: ExternalPlace) -> Bool {
    guard type(of: content) == type(of: other.content), identity == other.identity else { return false }
    return identity != nil || isIdentical(to: other)
  }

  /// Returns whether the targets are the same object, equal values, or values without stored properties.
  private func isIdentical(to other: ExternalPlace) -> Bool {
    if type(of: content) is AnyClass { return (content as AnyObject) === (other.content as AnyObject) }
    if let value = content as? any Equatable { return Self.isEqual(value, other.content) }
    return Mirror(reflecting: content).children.isEmpty
  }

  private static func isEqual<Value: Equatable>(_ value: Value, _ other: Any) -> Bool {
    other as? Value == value
  }
}
