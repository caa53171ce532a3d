import Foundation

/// Where this user's stores lie: the owner's, and beside it a folder for each person.
package struct DataHome: Sendable, Hashable {
  /// `$XDG_DATA_HOME/hrgate`.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Of whose programs have this environment, and this home. `XDG_DATA_HOME` is `$HOME/.local/share` unless
  /// it is an absolute path.
  package init(of environment: [String: String], home: String) {
    let given = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.init((given ?? home + "/.local/share") + "/hrgate")
  }

  /// Of this user.
  package static var user: DataHome {
    DataHome(of: ProcessInfo.processInfo.environment, home: HomeFolder.path)
  }

  /// The owner's, who needs no name.
  package var ownersStore: String { path + "/health.sqlite" }

  package var people: PeopleFolder { PeopleFolder(path + "/people") }

  /// Where the folders of people go that were removed with their data kept.
  package var formerPeople: String { path + "/former-people" }

  /// The store of whom a program of this user is for: the person in `HRGATE_PERSON`, or the owner.
  /// - Throws: ``PersonFault``.
  package func store(
    forPersonIn environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(PersonFault) -> String {
    guard let person = environment["HRGATE_PERSON"], !person.isEmpty else { return ownersStore }
    return try store(of: person)
  }

  /// - Parameter person: As they are called, or `owner`.
  /// - Throws: ``PersonFault``.
  package func store(of person: String) throws(PersonFault) -> String {
    let name = try PersonName(person)
    return name.isOwner ? ownersStore : people.store(of: try people.person(name))
  }

  /// Each store in which only the user decides.
  /// - Throws: ``PersonFault`` where it cannot be said whose stores there are.
  package var stores: [String] {
    get throws(PersonFault) { [ownersStore] + (try people.names()).map { people.store(of: $0) } }
  }
}
