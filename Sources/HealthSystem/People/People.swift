import FileSystem
import Foundation
import Glibc
package import HealthKit
import HealthStorage

/// The people who each have a store in this Unix user's data directory.
///
/// A running gateway notices added people, and closes a person's store before the person is renamed or
/// removed.
package struct People: Sendable {
  /// The data directory that contains the stores.
  package let home: DataHome
  /// How long to wait for a gateway to close a person's store.
  private let timeout: Duration

  /// Creates an object that manages the people of a data directory.
  package init(_ home: DataHome = .user, timeout: Duration = .seconds(30)) {
    self.home = home
    self.timeout = timeout
  }

  /// Returns all people.
  /// - Throws: `PersonError`.
  package func list() throws(PersonError) -> [PersonName] { try home.people.names() }

  /// Returns the people whose monitors a gateway may use: all except those being renamed or removed.
  /// - Throws: `PersonError`.
  package func present() throws(PersonError) -> [PersonName] {
    try list().filter { !PersonLock.isUnderWay(of: $0, in: home.people) }
  }

  /// Creates a person's directory. The store is created when it is first used.
  /// - Throws: `PersonError`.
  package func add(_ name: PersonName) throws(PersonError) {
    guard !name.isOwner, try !list().contains(name) else { throw .taken(name) }
    try makeFolder(home.path)
    try makeFolder(home.people.path)
    let folder = home.people.folder(of: name)
    guard mkdir(folder, 0o700) == 0 else { throw .file(operation: "mkdir", path: folder, errno: errno) }
  }

  /// Renames a person.
  /// - Throws: `PersonError`; `CancellationError`.
  package func rename(_ name: PersonName, to new: PersonName) async throws {
    let person = try home.people.person(name)
    guard !new.isOwner, try new == person || !list().contains(new) else { throw PersonError.taken(new) }
    let lock = try await leave(person)
    defer { lock.release() }
    try move(home.people.folder(of: person), to: home.people.folder(of: new))
  }

  /// Removes a person. Their data is deleted or moved to ``DataHome/formerPeople``.
  /// - Returns: The new path of the store, or `nil` if it was deleted or did not exist.
  /// - Throws: `PersonError`; `CancellationError`; Foundation's errors if files cannot be deleted.
  package func remove(_ name: PersonName, deletingData: Bool, now: Date = Date()) async throws -> String? {
    let person = try home.people.person(name)
    let lock = try await leave(person)
    defer { lock.release() }
    let folder = home.people.folder(of: person)
    if deletingData {
      // Before deleting the directory, rename it to a name that no person can have. Otherwise, if deletion
      // failed midway, the rest would be listed as a person with an empty store.
      let deleted = "\(home.people.path)/.\(UUID().uuidString).deleted"
      try move(folder, to: deleted)
      try FileManager.default.removeItem(atPath: deleted)
      return nil
    }
    try makeFolder(home.formerPeople)
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    let kept = "\(home.formerPeople)/\(person.text) \(now.formatted(style))"
    try move(folder, to: kept)
    let store = kept + "/health.sqlite"
    return access(store, F_OK) == 0 ? store : nil
  }

  /// Locks a person's store directory and waits until no program has the store open.
  private func leave(_ person: PersonName) async throws -> FileLock {
    let lock = try PersonLock.lock(person, in: home.people)
    let store = home.people.store(of: person)
    let deadline = ContinuousClock.now + timeout
    do {
      while let user = user(of: store) {
        guard ContinuousClock.now < deadline else { throw PersonError.inUse(person, user) }
        try await Task.sleep(for: .milliseconds(100))
      }
    } catch {
      lock.release()
      throw error
    }
    return lock
  }

  /// Returns a sentence that names the program that has the store open and says what to do, or `nil` if no
  /// program does.
  private func user(of store: String) -> String? {
    guard access(store, F_OK) == 0 else { return nil }
    if let gateway = StoreUpkeep.gateway(ofStoreAt: store) {
      let process = gateway.map { " (process \($0))" } ?? ""
      return "a gateway\(process) still records this person's monitors; stop it, and try again"
    }
    return StoreUpkeep.isOpen(store) ? "a program has \(store) open; stop it, and try again" : nil
  }

  private func move(_ old: String, to new: String) throws(PersonError) {
    guard Glibc.rename(old, new) == 0 else { throw .file(operation: "rename", path: old, errno: errno) }
  }

  private func makeFolder(_ path: String) throws(PersonError) {
    guard access(path, F_OK) != 0 else { return }
    let above = path.enclosingFolder
    if above != path { try makeFolder(above) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .file(operation: "mkdir", path: path, errno: errno)
    }
  }
}
