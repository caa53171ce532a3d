import Foundation
import Glibc

/// The directory of this user's stores: the owner's store and a directory for each person.
package struct DataHome: Sendable, Hashable {
  /// The path of the directory: `$XDG_DATA_HOME/hrgate`.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Determines the directory from environment variables and a home directory. `XDG_DATA_HOME` defaults to
  /// `$HOME/.local/share` and is ignored if it is not an absolute path.
  package init(of environment: [String: String], home: String) {
    let given = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.init((given ?? home + "/.local/share") + "/hrgate")
  }

  /// The data directory of this Unix user.
  package static var user: DataHome {
    DataHome(of: ProcessInfo.processInfo.environment, home: HomeFolder.path)
  }

  /// The path of the owner's store. The owner is the Unix user, whose store is directly in the data
  /// directory.
  package var ownersStore: String { path + "/health.sqlite" }

  /// The directory that contains a directory for each other person.
  package var people: PeopleFolder { PeopleFolder(path + "/people") }

  /// The directory that keeps the data of removed people.
  package var formerPeople: String { path + "/former-people" }

  /// Returns the path of the store that a program uses: that of the person named by `HRGATE_PERSON`, or the
  /// owner's if it is not set.
  /// - Throws: ``PersonError``.
  package func store(
    forPersonIn environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(PersonError) -> String {
    guard let person = environment["HRGATE_PERSON"], !person.isEmpty else { return ownersStore }
    return try store(of: person)
  }

  /// Returns the path of a person's store.
  /// - Parameter person: The person's name, or `owner`.
  /// - Throws: ``PersonError``.
  package func store(of person: String) throws(PersonError) -> String {
    let name = try PersonName(person)
    return name.isOwner ? ownersStore : people.store(of: try people.person(name))
  }

  /// The paths of the owner's store and of the stores of all people. In these stores, only the user may
  /// decide on permissions.
  /// - Throws: ``PersonError`` if the people cannot be listed.
  package var stores: [String] {
    get throws(PersonError) { [ownersStore] + (try people.names()).map { people.store(of: $0) } }
  }
}

/// The directory that contains a subdirectory for each person. Each subdirectory has the person's name and
/// contains the person's store.
package struct PeopleFolder: Sendable, Hashable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Returns the people's names, sorted. Ignores links and entries that are not valid names.
  /// - Throws: ``PersonError/file(operation:path:errno:)``.
  package func names() throws(PersonError) -> [PersonName] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw .file(operation: "read", path: path, errno: errno)
    }
    defer { closedir(folder) }
    var names: [PersonName] = []
    while let entry = readdir(folder) {
      let text = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(validatingCString: $0) }
      }
      guard let text, let name = try? PersonName(text), !name.isOwner, isFolder(text) else { continue }
      names.append(PersonName(name, folder: text))
    }
    // Names that differ only in case count as one person. hrgate does not create such directories.
    let first = Dictionary(names.map { ($0, $0) }) { $0.text < $1.text ? $0 : $1 }
    return first.values.sorted()
  }

  /// Finds a person, and returns the name as it was spelled when the person was added.
  /// - Throws: ``PersonError``; `unknown` if there is no such person.
  package func person(_ name: PersonName) throws(PersonError) -> PersonName {
    guard let person = try names().first(where: { $0 == name }) else { throw .unknown(name) }
    return person
  }

  /// Returns the path of a person's directory.
  package func folder(of person: PersonName) -> String { path + "/" + person.text }

  /// Returns the path of a person's store.
  package func store(of person: PersonName) -> String { folder(of: person) + "/health.sqlite" }

  private func isFolder(_ name: String) -> Bool {
    var status = stat()
    return lstat(path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension PersonName {
  /// Creates a name whose text is the name of the person's directory, which may use another Unicode
  /// normalization than `name`.
  fileprivate init(_ name: PersonName, folder: String) { self.init(text: folder, key: name.key) }
}
