import Glibc

/// Whose a file is. Root makes files for others, who are to be able to use them.
package struct FileOwnership: Hashable, Sendable {
  package var user: UInt32
  package var group: UInt32

  package init(user: UInt32, group: UInt32) {
    self.user = user
    self.group = group
  }

  /// - Returns: nil where nothing is.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(user: status.st_uid, group: status.st_gid)
  }

  /// Gives away what this program has just made. Others than root give nothing away.
  func give(_ path: String) throws(StorageFailure) {
    guard geteuid() == 0 else { return }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .file(operation: "open", path: path, errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    // A file system without owners says whose all its files are.
    guard fstat(descriptor, &status) == 0, status.st_uid != user || status.st_gid != group else { return }
    guard fchown(descriptor, user, group) == 0 else {
      throw .file(operation: "chown", path: path, errno: errno)
    }
  }
}
