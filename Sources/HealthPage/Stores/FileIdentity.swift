import Glibc

/// Identifies a file by device and inode, even if it has several paths.
struct FileIdentity: Sendable, Hashable {
  private let device: UInt
  private let inode: UInt

  /// Identifies the file at a path.
  /// - Returns: `nil` if there is no file at the path.
  init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}
