public import HealthKit
import Synchronization

/// A synchronizer that applies changes in the documented order: it deletes the deleted objects that exist in
/// the external store, updates the changed objects that exist there, and adds the others.
// @unchecked: the class is open like the original. Its state is protected by a lock, and it makes one call to
// the external store at a time.
open class HDSObjectSynchronizer: HDSObjectSynchronizerProtocol, @unchecked Sendable {
  private struct State {
    var units: [HKQuantityType: HKUnit]?
    var converter: UncheckedSendable<(any HDSConverterProtocol)?> = UncheckedSendable(nil)
  }

  public let externalObjectType: any HDSExternalObjectProtocol.Type
  private let store: any HDSStoreProxyProtocol
  let externalStore: any HDSExternalStoreProtocol
  private let state = Mutex(State())

  public var storeIdentity: String? { externalStore.storeIdentity }

  /// The user's preferred units, or `nil` until they have been fetched.
  open var unitsDictionary: [HKQuantityType: HKUnit]? {
    get { state.withLock(\.units) }
    set { state.withLock { $0.units = newValue } }
  }

  public var converter: (any HDSConverterProtocol)? {
    get { state.withLock(\.converter).value }
    set {
      let handed = UncheckedSendable(newValue)
      state.withLock { $0.converter = handed }
    }
  }

  public init(
    externalObjectType: any HDSExternalObjectProtocol.Type, store: any HDSStoreProxyProtocol,
    externalStore: any HDSExternalStoreProtocol
  ) {
    self.externalObjectType = externalObjectType
    self.store = store
    self.externalStore = externalStore
  }

  @preconcurrency
  open func synchronize(
    objects: [HKObject]?, deletedObjects: [HKDeletedObject]?,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    Task {
      await answer { once in
        self.willSyncronize(objects: objects, deletedObjects: deletedObjects) { once.call(()) }
      }
      var failure: (any Error)?
      do {
        try await delete(deletedObjects ?? [])
        try await save(objects ?? [])
      } catch {
        failure = error
      }
      await answer { once in self.willFinishSyncronizing { once.call(()) } }
      completion(failure)
    }
  }

  // MARK: - For subclasses

  /// Called before the first request to the external store.
  @preconcurrency
  open func willSyncronize(
    objects: [HKObject]?, deletedObjects: [HKDeletedObject]?, completion: @escaping @Sendable () -> Void
  ) {
    completion()
  }

  /// Called after the last response of the external store, even after an error.
  @preconcurrency
  open func willFinishSyncronizing(after completion: @escaping @Sendable () -> Void) {
    completion()
  }

  // MARK: - The external store

  private func delete(_ objects: [HKDeletedObject]) async throws {
    let wanted = objects.compactMap {
      externalObjectType.externalObject(deletedObject: $0, converter: converter)
    }
    let found = try await fetch(wanted)
    guard !found.isEmpty else { return }
    try await done { self.externalStore.delete(deletedObjects: found, completion: $0) }
  }

  private func save(_ objects: [HKObject]) async throws {
    let pairs = objects.compactMap { object in
      externalObjectType.externalObject(object: object, converter: converter).map {
        (object: object, external: $0)
      }
    }
    guard !pairs.isEmpty else { return }
    let found = Dictionary(
      try await fetch(pairs.map(\.external)).map { ($0.uuid, $0) }, uniquingKeysWith: { first, _ in first })
    await learnUnits()
    var updated: [any HDSExternalObjectProtocol] = []
    var added: [any HDSExternalObjectProtocol] = []
    for pair in pairs {
      if let existing = found[pair.object.uuid] {
        existing.update(with: pair.object)
        updated.append(existing)
      } else {
        added.append(pair.external)
      }
    }
    let (toUpdate, toAdd) = (updated, added)
    if !toUpdate.isEmpty { try await done { self.externalStore.update(objects: toUpdate, completion: $0) } }
    if !toAdd.isEmpty { try await done { self.externalStore.add(objects: toAdd, completion: $0) } }
  }

  /// Fetches the user's preferred units. If that fails, objects are sent in their stored units.
  private func learnUnits() async {
    let types = (externalObjectType.authorizationTypes() ?? []).compactMap { $0 as? HKQuantityType }
    guard !types.isEmpty else { return }
    let units: [HKQuantityType: HKUnit] = await answer { once in
      self.store.preferredUnits(for: Set(types)) { units, _ in once.call(units) }
    }
    unitsDictionary = units
  }

  private func fetch(
    _ objects: [any HDSExternalObjectProtocol]
  ) async throws -> [any HDSExternalObjectProtocol] {
    guard !objects.isEmpty else { return [] }
    let (found, error): ([any HDSExternalObjectProtocol]?, (any Error)?) = await answer { once in
      self.externalStore.fetchObjects(with: objects) { once.call(($0, $1)) }
    }
    if let error { throw error }
    return found ?? []
  }

  private func done(_ ask: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
    let error: (any Error)? = await answer { once in ask { once.call($0) } }
    if let error { throw error }
  }
}

/// A synchronizer that applies changes to an external store.
public protocol HDSObjectSynchronizerProtocol {
  var converter: (any HDSConverterProtocol)? { get set }
  var externalObjectType: any HDSExternalObjectProtocol.Type { get }
  /// The identity that distinguishes this synchronizer's external store from those of other synchronizers of
  /// the same class. It must be the same in each run of the program. It is `nil` if there is only one store.
  /// (An addition to Microsoft's library.)
  var storeIdentity: String? { get }

  /// Applies changes to the external store.
  ///
  /// - Parameters:
  ///   - objects: Objects to update, or to add if the external store does not have them.
  ///   - completion: Called once. If it receives an error, the same changes are passed again later.
  @preconcurrency
  func synchronize(
    objects: [HKObject]?, deletedObjects: [HKDeletedObject]?,
    completion: @escaping @Sendable ((any Error)?) -> Void)
}

extension HDSObjectSynchronizerProtocol {
  public var storeIdentity: String? { nil }
}
