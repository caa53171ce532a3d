package import HealthKit
package import HealthSystem
import Synchronization

/// Opens and caches the stores that the page can show: the one for which it was started, and those of the
/// other people in the user's data directory.
package final class StoreCache: Sendable {
  /// The paths of the owner's store and of the stores of other people.
  package struct PeopleStores: Sendable {
    let owners: String
    let people: PeopleFolder

    /// Creates the paths.
    /// - Parameter owners: The path of the owner's store.
    package init(owners: String, people: PeopleFolder) { (self.owners, self.people) = (owners, people) }
  }

  /// The path of the store that the page was started for.
  let file: String
  /// The person whose store the page was started for; `nil` for the owner's store and for a store at another
  /// path.
  let person: PersonName?
  private let peopleStores: PeopleStores?
  private let own: SystemStore
  private let others = Mutex<[PersonName: SystemStore]>([:])
  /// The identities of the open store files, by their paths.
  private let identities: Mutex<[String: FileIdentity]>

  /// Creates a cache.
  /// - Parameters:
  ///   - store: The store that the page was started for.
  ///   - file: The path of that store.
  ///   - person: The person whose store it is; `nil` for the owner.
  ///   - peopleStores: The stores of all people; `nil` for a store at another path.
  package init(
    _ store: SystemStore, file: String, person: PersonName? = nil, peopleStores: PeopleStores? = nil
  ) {
    // Skip damaged segments when reading. The page lists them (`/api/damage`).
    own = (try? store.skippingDamagedBlocks()) ?? store
    (self.file, self.person, self.peopleStores) = (file, person, peopleStores)
    identities = Mutex(FileIdentity(ofFileAt: file).map { [file: $0] } ?? [:])
  }

  /// Returns the owner and all other people; empty for a store at another path.
  func people() throws -> [PersonName] {
    guard let peopleStores else { return [] }
    return try [PersonName("owner")] + peopleStores.people.names()
  }

  /// Returns the store of a person.
  /// - Parameter name: The name of the person; `nil` for the store that the page was started for.
  /// - Throws: ``PageError`` if there is no person with this name.
  func store(of name: String?) throws -> SystemStore {
    guard let name else { return own }
    guard let peopleStores else { throw PageError.absent("This page shows a single store.") }
    do {
      let wanted = try PersonName(name)
      if wanted == person || (wanted.isOwner && person == nil) { return own }
      let known = wanted.isOwner ? wanted : try peopleStores.people.person(wanted)
      return try others.withLock { others in
        if let store = others[known] { return store }
        let path = known.isOwner ? peopleStores.owners : peopleStores.people.store(of: known)
        let store = try SystemStore(at: path).skippingDamagedBlocks()
        identities.withLock { $0[path] = FileIdentity(ofFileAt: path) }
        others[known] = store
        return store
      }
    } catch let fault as PersonError {
      throw PageError.absent("\(fault.description).")
    }
  }

  func store(for question: PageRequest) throws -> SystemStore {
    try store(of: question.parameters["person"])
  }
}

extension StoreCache {
  /// Returns the reason why nothing can be saved, or `nil`. The reason is that the open store's file was
  /// deleted or replaced.
  func fileProblem(for question: PageRequest) -> String? {
    guard let path = try? path(of: question), let opened = identities.withLock({ $0[path] }),
      FileIdentity(ofFileAt: path) != opened
    else { return nil }
    return "The file of this store (\(path)) was deleted or replaced while the page was open. The page shows "
      + "the old file, and saves nothing. Put the file back, or end hrgate and start it again."
  }

  /// Returns the path of the store that a request concerns.
  /// - Throws: ``PageError`` for an unknown person.
  func path(of question: PageRequest) throws -> String {
    _ = try store(for: question)
    guard let name = question.parameters["person"], let peopleStores, let wanted = try? PersonName(name),
      wanted != person, !(wanted.isOwner && person == nil)
    else { return file }
    return wanted.isOwner
      ? peopleStores.owners : peopleStores.people.store(of: try peopleStores.people.person(wanted))
  }

  /// Returns the name of the person whom a request concerns, as used by a gateway; `nil` for the owner.
  func person(for question: PageRequest) -> String? {
    guard let name = question.parameters["person"] else { return person?.text }
    return (try? PersonName(name))?.isOwner == true ? nil : name
  }
}
