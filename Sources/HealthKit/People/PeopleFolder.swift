import Foundation
import Glibc

/// The folder in which each person has one, named as they are, with their store in it.
package struct PeopleFolder: Sendable, Hashable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Who there is, in the order of their names. Other things in the folder, and links, are nobody.
  /// - Throws: ``PersonFault/file(operation:path:errno:)``.
  package func names() throws(PersonFault) -> [PersonName] {
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
    // Folders whose names differ in capitals alone are somebody else's work, and one person.
    let first = Dictionary(names.map { ($0, $0) }) { $0.text < $1.text ? $0 : $1 }
    return first.values.sorted()
  }

  /// - Returns: The person as they were added.
  /// - Throws: ``PersonFault``, `unknown` where they were not.
  package func person(_ name: PersonName) throws(PersonFault) -> PersonName {
    guard let person = try names().first(where: { $0 == name }) else { throw .unknown(name) }
    return person
  }

  package func folder(of person: PersonName) -> String { path + "/" + person.text }

  package func store(of person: PersonName) -> String { folder(of: person) + "/health.sqlite" }

  private func isFolder(_ name: String) -> Bool {
    var status = stat()
    return lstat(path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension PersonName {
  /// - Parameter folder: As it stands on the disk, be it composed or not.
  fileprivate init(_ name: PersonName, folder: String) { self.init(text: folder, key: name.key) }
}
