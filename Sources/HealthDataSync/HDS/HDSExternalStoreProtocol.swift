public import Foundation
public import HealthKit

/// An external store that objects are sent to. Each function must call its completion handler once; later
/// calls are ignored.
public protocol HDSExternalStoreProtocol {
  /// The identity that distinguishes this store from others of the same class. It must be the same in each
  /// run of the program, because progress is saved under it. It is `nil` if there is only one store of the
  /// class. (An addition to Microsoft's library.)
  var storeIdentity: String? { get }

  /// Fetches those of the objects that exist in the external store. The caller updates them and adds the
  /// others.
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
  /// The UUID of the HealthKit object from which it was created.
  var uuid: UUID { get set }

  /// Returns the types that the program asks the user for permission to read. For a correlation, these are
  /// the types of its members.
  static func authorizationTypes() -> [HKObjectType]?

  /// Returns the HealthKit type whose objects are sent to the external store.
  static func healthKitObjectType() -> HKObjectType?

  /// Creates an external object. Returns `nil` if the HealthKit object should not be sent.
  static func externalObject(object: HKObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?

  /// Creates an external object for a deleted HealthKit object. Returns `nil` if the object was never sent.
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

/// An external store with an identity that distinguishes it from others of its class. (An addition to
/// Microsoft's library.)
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

/// The external store of a synchronizer, in a form that can be compared with that of another synchronizer.
struct ExternalStoreKey {
  /// The external store, or the synchronizer itself if it has no store.
  private let content: Any
  /// The identity that distinguishes the store from others of the same class, or `nil`.
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

  /// Returns whether two synchronizers send to the same store. If neither store has an identity, the objects
  /// are compared.
  func isSame(as other: ExternalStoreKey) -> Bool {
    guard type(of: content) == type(of: other.content), identity == other.identity else { return false }
    return identity != nil || isIdentical(to: other)
  }

  /// Returns whether the stores are the same object, equal values, or values of a type without stored
  /// properties.
  private func isIdentical(to other: ExternalStoreKey) -> Bool {
    if type(of: content) is AnyClass { return (content as AnyObject) === (other.content as AnyObject) }
    if let value = content as? any Equatable { return Self.isEqual(value, other.content) }
    return Mirror(reflecting: content).children.isEmpty
  }

  private static func isEqual<Value: Equatable>(_ value: Value, _ other: Any) -> Bool {
    other as? Value == value
  }
}
