import Foundation
import Glibc

/// A folder by its descriptor: what is done in it stays in it, whatever becomes of its path.
struct Folder: Sendable {
  private let file: OpenFile
  private var descriptor: Int32 { file.descriptor }

  /// - Parameter mayMake: makes the last part of the path, for this user alone, where it is missing.
  init(_ path: String, mayMake: Bool) throws(FolderFailure) {
    if mayMake, mkdir(path, 0o700) != 0, errno != EEXIST { throw FolderFailure() }
    file = OpenFile(descriptor: try checked { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    guard faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 else { throw FolderFailure() }
  }

  /// A folder within. A link is not followed: another user may have put it there.
  /// - Parameter mayMake: makes it, for this user alone, if it is missing.
  init(_ name: String, in other: Folder, mayMake: Bool = true) throws(FolderFailure) {
    if mayMake, mkdirat(other.descriptor, name, 0o700) != 0, errno != EEXIST { throw FolderFailure() }
    let other = other.descriptor
    file = OpenFile(
      descriptor: try checked { openat(other, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }

  func names() throws(FolderFailure) -> [String] {
    let copy = try checked { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let stream = fdopendir(copy) else {
      let failure = FolderFailure()
      Glibc.close(copy)
      throw failure
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Opens a file that is there, or makes it, for this user alone.
  func open(_ name: String) throws(FolderFailure) -> OpenFile {
    let descriptor = descriptor
    return OpenFile(
      descriptor: try checked { openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) })
  }

  /// Nil where there is none.
  func openExisting(_ name: String) throws(FolderFailure) -> OpenFile? {
    let descriptor = descriptor
    do throws(FolderFailure) {
      return OpenFile(descriptor: try checked { openat(descriptor, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC) })
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Returns a path of a file in the folder, for libraries that take paths.
  func path(of name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

  /// Into another folder, under the first name that nobody has there: `name`, `name-2` … Whoever has the lock
  /// is the only one who makes such names.
  func move(_ name: String, to other: Folder) throws(FolderFailure) {
    let point = name.lastIndex(of: ".") ?? name.endIndex
    var new = name
    var number = 1
    while faccessat(other.descriptor, new, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
      number += 1
      new = name[..<point] + "-\(number)" + name[point...]
    }
    try checked { renameat(descriptor, name, other.descriptor, new) }
  }

  func remove(_ name: String) throws(FolderFailure) {
    if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw FolderFailure() }
  }

  /// Makes durable which names are in it.
  func sync() throws(FolderFailure) { try file.sync() }

  /// Whether nobody else has it: until what is given back is let go of, nobody else gets it.
  func lock(_ name: String) throws(FolderFailure) -> FolderLock? {
    let file = try open(name)
    if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { return FolderLock(on: file) }
    if errno == EWOULDBLOCK { return nil }
    throw FolderFailure()
  }
}
