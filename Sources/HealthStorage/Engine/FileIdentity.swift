import Foundation

/// What tells one file from another, by whatever names they are reached.
package enum FileIdentity {
  /// Whether two paths lead to one file. False where there is no file yet: look again when there is.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    guard let file = status(of: path), let otherFile = status(of: other) else { return path == other }
    return file.st_dev == otherFile.st_dev && file.st_ino == otherFile.st_ino
  }

  /// What the kernel knows a file by as long as it is there.
  struct Number: Hashable {
    var device: dev_t
    var inode: ino_t
  }

  /// nil where there is no file.
  static func number(of path: String) -> Number? {
    status(of: path).map { Number(device: $0.st_dev, inode: $0.st_ino) }
  }

  /// Links are followed.
  private static func status(of path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }
}
