import Foundation

extension StoreFile {
  static func size(at path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Returns an absolute path without symbolic links. The file itself need not exist.
  static func location(_ path: String) throws(StorageError) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    guard let resolved = realpath(path.enclosingFolder, nil) else {
      throw .file(operation: "open", path: path, errno: errno)
    }
    defer { free(resolved) }
    return (String(cString: resolved) as NSString).appendingPathComponent(
      (path as NSString).lastPathComponent)
  }

  /// Returns `name` if it is unused, otherwise `name-2`, `name-3` … whichever is unused first.
  /// - Parameter suffixes: a name counts as used if one of these appended to it is used.
  static func freeName(_ name: String, with suffixes: [String] = []) -> String {
    var candidate = name
    var number = 2
    while ([""] + suffixes).contains(where: { access(candidate + $0, F_OK) == 0 }) {
      candidate = "\(name)-\(number)"
      number += 1
    }
    return candidate
  }

  /// Creates a private file (0600) under a temporary name, syncs it to disk, then renames it to `path`.
  ///
  /// Never replaces a device, pipe, socket, directory or symbolic link.
  /// - Parameters:
  ///   - prepare: called before the rename, for example to set the file's owner.
  ///   - naming: moves the file to its final name; by default, `rename` to `path`.
  static func replacing(
    _ path: String, _ make: (_ temporary: String) throws -> Void,
    prepare: (_ temporary: String) throws -> Void = { _ in },
    naming: ((_ temporary: String) throws -> Void)? = nil
  ) throws {
    try refuseReplacing(path)
    let temporary = "\(path).\(getpid()).part"
    let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw StorageError.file(operation: "create", path: temporary, errno: errno)
    }
    close(descriptor)
    do {
      try make(temporary)
      try prepare(temporary)
      try sync(temporary)
      if let naming { try naming(temporary) } else { try move(temporary, to: path) }
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) }
      throw error
    }
    try? sync(path.enclosingFolder)
  }

  /// Allows only a regular file or an unused path. Run as root, a rename would replace a device node by a
  /// file.
  private static func refuseReplacing(_ path: String) throws(StorageError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .file(operation: "stat", path: path, errno: errno) }
      return
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFLNK else { throw .isLink(path: path) }
    guard kind == S_IFREG else { throw .notAFile(path: path, isDirectory: kind == S_IFDIR) }
  }

  /// Fails if there is a log that SQLite would replay into a new file of this name.
  static func refuseLogs(beside path: String) throws(StorageError) {
    for log in ["-wal", "-journal"].map({ path + $0 }) where access(log, F_OK) == 0 {
      throw .logBeside(path: path, log: log)
    }
  }

  static func move(_ path: String, to other: String) throws(StorageError) {
    guard rename(path, other) == 0 else {
      throw .file(operation: "rename", path: other, errno: errno)
    }
  }

  static func sync(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(operation: "open", path: path, errno: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .file(operation: "sync", path: path, errno: errno) }
  }
}
