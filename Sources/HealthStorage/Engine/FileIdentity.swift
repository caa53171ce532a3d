import Foundation

/// Compares files by device and inode, not by path.
package enum FileIdentity {
  /// Returns whether two paths refer to the same file. If one of the files does not exist, compares the
  /// paths.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    guard let file = status(of: path), let otherFile = status(of: other) else { return path == other }
    return file.st_dev == otherFile.st_dev && file.st_ino == otherFile.st_ino
  }

  /// The device and inode number of a file, which are unique while the file exists.
  struct Number: Hashable, Sendable {
    var device: dev_t
    var inode: ino_t
  }

  /// Returns `nil` if there is no file at the path.
  static func number(of path: String) -> Number? {
    status(of: path).map { Number(device: $0.st_dev, inode: $0.st_ino) }
  }

  /// Returns the status of a file, following symbolic links; `nil` if it cannot be read.
  private static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }
}
