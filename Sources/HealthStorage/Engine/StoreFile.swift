import Foundation

/// The file of a sample database, private from its first byte on.
///
/// SQLite would create it by the umask; here it exists with mode 0600 before SQLite opens it, and SQLite gives its
/// `-wal` and `-shm` files the mode of the main file.
enum StoreFile {
  /// Creates the directory (0700) and the file (0600) where they are missing; what exists keeps its mode.
  /// - Returns: where the file is, whatever the working directory becomes: an absolute path without links, since the
  ///   kernel tells what happens in the directory that holds the log and not in one that holds a link.
  static func prepare(at path: String) throws(StorageFailure) -> String {
    try create(at: path)
    guard let resolved = realpath(path, nil) else {
      throw .file(operation: "realpath", path: path, errno: errno)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func create(at path: String) throws(StorageFailure) {
    try makeDirectory((path as NSString).deletingLastPathComponent)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw .file(operation: "create", path: path, errno: errno) }
      return
    }
    defer { close(descriptor) }
    // An umask can only take bits away (0277 would leave a file that its owner cannot write).
    guard fchmod(descriptor, 0o600) == 0 else {
      throw .file(operation: "chmod", path: path, errno: errno)
    }
  }

  private static func makeDirectory(_ path: String) throws(StorageFailure) {
    guard !path.isEmpty, path != "/", access(path, F_OK) != 0 else { return }
    try makeDirectory((path as NSString).deletingLastPathComponent)
    guard mkdir(path, 0o700) == 0 else {
      guard errno == EEXIST else { throw .file(operation: "mkdir", path: path, errno: errno) }
      return
    }
    guard chmod(path, 0o700) == 0 else { throw .file(operation: "chmod", path: path, errno: errno) }
  }
}
