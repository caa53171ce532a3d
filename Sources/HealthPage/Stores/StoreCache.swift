package import HealthKit
package import HealthSystem
import Synchronization

/// Opens and caches the stores that the page can show: the one for which it was started, and those of the
/// other people in the user's data directory.
package final class StoreCache: Sendable {
  /// The paths of the account owner's store and of the stores of other people.
  package struct PeopleStores: Sendable {
    let owners: String
    let people: PeopleFolder

    /// Creates the paths.
    /// - Parameter owners: The path of the account owner's store.
    package init(owners: String, people: PeopleFolder) { (self.owners, self.people) = (owners, people) }
  }

  /// The path of the store that the page was started for.
  let file: String
  /// The person whose store the page was started for; `nil` for the account owner's store and for a store at
  /// another path.
  let person: PersonName?
  private let peopleStores: PeopleStores?
  /// The store that the page was started for; `nil` until it is opened.
  private let own: Mutex<SystemStore?>
  private let others = Mutex<[PersonName: SystemStore]>([:])
  /// The identities of the open store files, by their paths.
  private let identities: Mutex<[String: FileIdentity]>

  /// Creates a cache.
  /// - Parameters:
  ///   - store: The store that the page was started for; `nil` if it is locked. It is opened by the first
  ///     request after unlocking.
  ///   - file: The path of this store.
  ///   - person: The person to whom the store belongs; `nil` for the account owner.
  ///   - peopleStores: The stores of all people; `nil` if the page shows a store at another path.
  package init(
    _ store: SystemStore?, file: String, person: PersonName? = nil, peopleStores: PeopleStores? = nil
  ) {
    // The page skips damaged segments and lists them (`/api/damage`).
    own = Mutex(store.map { (try? $0.skippingDamagedBlocks()) ?? $0 })
    (self.file, self.person, self.peopleStores) = (file, person, peopleStores)
    identities = Mutex(store == nil ? [:] : FileIdentity(ofFileAt: file).map { [file: $0] } ?? [:])
  }

  /// Returns the account owner and all other people; empty for a store at another path.
  func people() throws -> [PersonName] {
    guard let peopleStores else { return [] }
    return try [PersonName("owner")] + peopleStores.people.names()
  }

  /// Returns the store of a person.
  /// - Parameter name: The name of the person; `nil` for the store that the page was started for.
  /// - Throws: ``PageError`` if there is no person with this name.
  func store(of name: String?) throws -> SystemStore {
    guard let known = try other(name) else {
      return try own.withLock { own in
        if let own { return own }
        let store = try open(file)
        own = store
        return store
      }
    }
    return try others.withLock { others in
      if let store = others[known] { return store }
      let store = try open(path(of: known))
      others[known] = store
      return store
    }
  }

  private func open(_ path: String) throws -> SystemStore {
    let store = try SystemStore(at: path).skippingDamagedBlocks()
    identities.withLock { $0[path] = FileIdentity(ofFileAt: path) }
    return store
  }

  /// Returns the person with a name; `nil` if that is the person whose store the page was started for.
  private func other(_ name: String?) throws -> PersonName? {
    guard let name else { return nil }
    guard let peopleStores else {
      throw PageError.absent(
        "This page shows a single store. For those of other people, run hrgate page without --store.")
    }
    do throws(PersonError) {
      let wanted = try PersonName(name)
      if wanted == person || (wanted.isOwner && person == nil) { return nil }
      return wanted.isOwner ? wanted : try peopleStores.people.person(wanted)
    } catch {
      throw PageError.absent("\(error.description).")
    }
  }

  func store(for request: PageRequest) throws -> SystemStore {
    try store(of: request.parameters["person"])
  }
}

extension StoreCache {
  /// Returns the error if the file of the open store was deleted or replaced, so that nothing can be saved;
  /// otherwise `nil`.
  func fileProblem(for request: PageRequest) -> String? {
    guard let path = try? path(of: request), let opened = identities.withLock({ $0[path] }),
      FileIdentity(ofFileAt: path) != opened
    else { return nil }
    return "The file of this store (\(path)) was deleted or replaced while the page was open. The page shows "
      + "the old file, and saves nothing. Put the file back, or end hrgate and start it again."
  }

  /// Returns the path of the store that a request concerns, without opening the store.
  /// - Throws: ``PageError`` for an unknown person.
  func path(of request: PageRequest) throws -> String {
    try other(request.parameters["person"]).map(path) ?? file
  }

  private func path(of other: PersonName) -> String {
    guard let peopleStores else { return file }
    return other.isOwner ? peopleStores.owners : peopleStores.people.store(of: other)
  }

  /// Returns the name of the person whom a request concerns; `nil` for the account owner, as in the status of
  /// a gateway.
  func person(for request: PageRequest) -> String? {
    guard let name = request.parameters["person"] else { return person?.text }
    return (try? PersonName(name))?.isOwner == true ? nil : name
  }
}
