package import HealthKit
package import HealthSystem
import Synchronization

/// The stores that can be looked at: that for which the page was started, and those of the other people whom
/// its user keeps.
package final class StoreShelf: Sendable {
  /// Where the stores of an owner and of the people lie whom they keep.
  package struct Household: Sendable {
    let owners: String
    let people: PeopleFolder

    /// - Parameter owners: The owner's store.
    package init(owners: String, people: PeopleFolder) { (self.owners, self.people) = (owners, people) }
  }

  /// Where the store lies for which the page was started.
  let file: String
  /// Whose that is; `nil` for the owner's, and for a file's.
  let person: PersonName?
  private let household: Household?
  private let own: SystemStore
  private let others = Mutex<[PersonName: SystemStore]>([:])

  /// - Parameters:
  ///   - store: The one for which the page is started.
  ///   - file: Where it lies.
  ///   - person: Whose it is; `nil` for the owner's.
  ///   - household: `nil` for a store that belongs to nobody here.
  package init(
    _ store: SystemStore, file: String, person: PersonName? = nil, household: Household? = nil
  ) {
    // The page skips damaged blocks and lists them (`/api/damage`).
    own = (try? store.skippingDamagedBlocks()) ?? store
    (self.file, self.person, self.household) = (file, person, household)
  }

  /// The owner, as they are named, and all others; empty where nobody is known.
  func people() throws -> [PersonName] {
    guard let household else { return [] }
    return try [PersonName("owner")] + household.people.names()
  }

  /// - Parameter name: `nil` for whom the page was started.
  /// - Throws: ``PageFault`` where there is nobody of that name.
  func store(of name: String?) throws -> SystemStore {
    guard let name else { return own }
    guard let household else { throw PageFault.absent("This page shows one store alone.") }
    do {
      let wanted = try PersonName(name)
      if wanted == person || (wanted.isOwner && person == nil) { return own }
      let known = wanted.isOwner ? wanted : try household.people.person(wanted)
      return try others.withLock { others in
        if let store = others[known] { return store }
        let store = try SystemStore(at: known.isOwner ? household.owners : household.people.store(of: known))
          .skippingDamagedBlocks()
        others[known] = store
        return store
      }
    } catch let fault as PersonFault {
      throw PageFault.absent("\(fault.description).")
    }
  }

  func store(for question: Question) throws -> SystemStore {
    try store(of: question.parameters["person"])
  }
}

extension StoreShelf {
  /// Whose store a question is about, as a gateway names them; `nil` for the owner's.
  func person(for question: Question) -> String? {
    guard let name = question.parameters["person"] else { return person?.text }
    return (try? PersonName(name))?.isOwner == true ? nil : name
  }
}
