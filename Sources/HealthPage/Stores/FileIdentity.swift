import Glibc

/// Identifies a file on its disk, however it is named.
struct FileIdentity: Sendable, Hashable {
  private let device: UInt
  private let inode: UInt

  /// - Returns: `nil` if there is no file at the path.
  init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
  }
}
