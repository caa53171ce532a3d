import Glibc

/// The owner of a file. If root creates a file on behalf of another user, the file is given to that user.
package struct FileOwnership: Hashable, Sendable {
  package var user: UInt32
  package var group: UInt32

  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }

  /// Returns `nil` if there is no file at the path.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(user: status.st_uid, group: status.st_gid)
  }

  /// Changes the owner of a file that this process has just created. Does nothing unless the process runs as
  /// root.
  func give(_ path: String) throws(StorageError) {
    guard geteuid() == 0 else { return }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .file(operation: "open", path: path, errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    // A file system without owners, such as FAT, reports the same owner for all files, and `fchown` would
    // fail there.
    guard fstat(descriptor, &status) == 0, status.st_uid != user || status.st_gid != group else { return }
    guard fchown(descriptor, user, group) == 0 else {
      throw .file(operation: "chown", path: path, errno: errno)
    }
  }
}
